package io.github.rpcrdma4j.nfs.state.range;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.TreeMap;

/** A locked range in the tables of {@link RangeLocks}, and a node of a {@link RangeTree}. */
public final class RangeNode<O> implements Obstacle<O> {
    public final RangeLock<O> lock;
    final int tag;
    final long number;

    /** The ranges of its owner. They stand for the owner, whose name is long to compare. */
    final TreeMap<Long, RangeNode<O>> own;

    /**
     * Orders the tree from its root down, as if at random. If clients could tell it beforehand,
     * they could choose ranges that make a list of the tree.
     */
    final int priority;

    /** Whether it was taken out of the tables. */
    boolean isGone;

    RangeNode<O> left;
    RangeNode<O> right;

    /** The largest last byte of this node and of all below it, unsigned, and whose it is. */
    private long reach;

    private Object reachOf;

    /** The largest last byte of those of all other owners, and whose it is; null if of none. */
    private long otherReach;

    private Object otherReachOf;

    RangeNode(RangeLock<O> lock, int tag, long number, TreeMap<Long, RangeNode<O>> own) {
        this.lock = lock;
        this.tag = tag;
        this.number = number;
        this.own = own;
        this.priority = KeyedHash.of(number);
        update();
    }

    long first() {
        return lock.range().first();
    }

    long last() {
        return lock.range().last();
    }

    @Override
    public boolean isInTheWayOf(RangeLock<O> wanted) {
        return !isGone && lock.conflictsWith(wanted);
    }

    /** Returns whether this comes before another one: by its first byte, then by its number. */
    boolean isBefore(RangeNode<O> other) {
        int order = Long.compareUnsigned(first(), other.first());
        return order != 0 ? order < 0 : number < other.number;
    }

    /** Finds out how far this node and those below it reach. */
    void update() {
        reach = last();
        reachOf = own;
        otherReachOf = null;
        join(left);
        join(right);
    }

    private void join(RangeNode<O> below) {
        if (below != null) {
            reach(below.reach, below.reachOf);
            if (below.otherReachOf != null) {
                reach(below.otherReach, below.otherReachOf);
            }
        }
    }

    private void reach(long last, Object of) {
        boolean isFarther = Long.compareUnsigned(last, reach) > 0;
        if (of == reachOf) {
            reach = isFarther ? last : reach;
        } else if (isFarther) {
            otherReach = reach;
            otherReachOf = reachOf;
            reach = last;
            reachOf = of;
        } else if (otherReachOf == null || Long.compareUnsigned(last, otherReach) > 0) {
            otherReach = last;
            otherReachOf = of;
        }
    }

    /** Returns the largest last byte of this node and of all below it. */
    long reach() {
        return reach;
    }

    /** Returns whether this node or one below it ends at a byte or behind, and is of another. */
    boolean hasOtherFrom(long at, TreeMap<Long, RangeNode<O>> owner) {
        return reachOf != owner
                ? Long.compareUnsigned(reach, at) >= 0
                : otherReachOf != null && Long.compareUnsigned(otherReach, at) >= 0;
    }
}
