package io.github.rpcrdma4j.nfs.server.state;

/** A locked range in the tables of {@link RangeLocks}, and a node of a {@link RangeTree}. */
final class RangeNode<O> {
    final RangeLock<O> lock;
    final int tag;
    final long number;

    /** Orders the tree from its root down; drawn from the number as if at random. */
    final long priority;

    /** The largest last byte of this node and of all below it, unsigned. */
    long reach;

    RangeNode<O> left;
    RangeNode<O> right;

    RangeNode(RangeLock<O> lock, int tag, long number) {
        this.lock = lock;
        this.tag = tag;
        this.number = number;
        this.priority = mixed(number);
        this.reach = lock.range().last();
    }

    /** Spreads the bits of a number: the finalizer of SplitMix64. */
    private static long mixed(long number) {
        long bits = number * 0x9e3779b97f4a7c15L;
        bits = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
        bits = (bits ^ (bits >>> 27)) * 0x94d049bb133111ebL;
        return bits ^ (bits >>> 31);
    }

    long first() {
        return lock.range().first();
    }

    long last() {
        return lock.range().last();
    }

    /** Returns whether this comes before another one: by its first byte, then by its number. */
    boolean isBefore(RangeNode<O> other) {
        int order = Long.compareUnsigned(first(), other.first());
        return order != 0 ? order < 0 : number < other.number;
    }

    void update() {
        reach = last();
        if (left != null && Long.compareUnsigned(left.reach, reach) > 0) {
            reach = left.reach;
        }
        if (right != null && Long.compareUnsigned(right.reach, reach) > 0) {
            reach = right.reach;
        }
    }
}
