package io.github.rpcrdma4j.nfs.state.range;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The byte-range locks of one file, with the rules of POSIX: a lock replaces what its owner had in
 * the range, ranges of one owner, type and tag that touch are one, and a range can be unlocked in
 * parts. Locks of one owner never conflict with each other. Not thread-safe.
 *
 * <p>A look for a conflict takes time in the logarithm of the number of locks; a change also in
 * proportion to the owner's own ranges within its range.
 *
 * @param <O> the owners: values, of any protocol
 */
public final class RangeLocks<O> {
    /**
     * A part of a range, and how it is locked by all owners together.
     *
     * @param type the strongest lock, or nothing
     */
    public record Part(ByteRange range, Optional<LockMode> type) {}

    /**
     * A part of a lock.
     *
     * @param tag that of the lock
     */
    public record Tagged<O>(RangeLock<O> lock, int tag) {}

    /** The ranges of each owner, by their first bytes. They never overlap. */
    private final Map<O, TreeMap<Long, RangeNode<O>>> byOwner = new HashMap<>();

    /** The WRITE locks of all owners. They overlap with no lock at all. */
    private final RangeTree<O> writes = new RangeTree<>();

    private final RangeTree<O> reads = new RangeTree<>();
    private long lastNumber;
    private int size;

    /** Returns a lock of another owner that conflicts with one that an owner wants. */
    public Optional<RangeLock<O>> conflict(O owner, LockMode type, ByteRange range) {
        return Optional.ofNullable(obstacle(owner, type, range)).map(node -> node.lock);
    }

    /** Likewise, as it is in the table; null if there is none. */
    public RangeNode<O> obstacle(O owner, LockMode type, ByteRange range) {
        var own = byOwner.get(owner);
        var write = writes.overlapOfOther(own, range);
        return write != null || type == LockMode.READ ? write : reads.overlapOfOther(own, range);
    }

    /** Returns how many locks all looks for conflicts have looked at so far. */
    public long steps() {
        return writes.steps() + reads.steps();
    }

    /**
     * Locks a range. What the owner had in it becomes this lock.
     *
     * @param tag stays with the lock
     * @throws IllegalStateException if it conflicts with a lock of another owner
     */
    public void lock(O owner, LockMode type, ByteRange range, int tag) {
        if (conflict(owner, type, range).isPresent()) {
            throw new IllegalStateException("the range is locked by another owner");
        }
        var own = byOwner.computeIfAbsent(owner, _ -> new TreeMap<>(Long::compareUnsigned));
        carve(own, range);
        long first = range.first();
        long last = range.last();
        var lower = own.lowerEntry(first);
        if (lower != null && lower.getValue().last() + 1 == first && isOf(lower, type, tag)) {
            first = lower.getValue().first();
            remove(own, lower.getValue());
        }
        var higher = own.higherEntry(last);
        if (higher != null && higher.getValue().first() == last + 1 && isOf(higher, type, tag)) {
            last = higher.getValue().last();
            remove(own, higher.getValue());
        }
        add(own, new RangeLock<>(owner, type, new ByteRange(first, last)), tag);
    }

    private static <O> boolean isOf(Map.Entry<Long, RangeNode<O>> entry, LockMode type, int tag) {
        var node = entry.getValue();
        return node.lock.type() == type && node.tag == tag;
    }

    /**
     * Unlocks what an owner has of a range; nothing happens to what it does not have.
     *
     * @return the parts that the owner had
     */
    public List<ByteRange> unlock(O owner, ByteRange range) {
        var own = byOwner.get(owner);
        if (own == null) {
            return List.of();
        }
        var taken = carve(own, range);
        if (own.isEmpty()) {
            byOwner.remove(owner);
        }
        return taken;
    }

    /** Returns whether unlocking a range would cut a range of the owner in two. */
    public boolean isCut(O owner, ByteRange range) {
        var own = byOwner.get(owner);
        var entry = own == null ? null : own.lowerEntry(range.first());
        return entry != null && Long.compareUnsigned(entry.getValue().last(), range.last()) > 0;
    }

    /** Takes a range out of an owner's ranges. Returns the parts that were there. */
    private List<ByteRange> carve(TreeMap<Long, RangeNode<O>> own, ByteRange range) {
        var node = first(own, range);
        var taken = new ArrayList<ByteRange>();
        while (node != null && node.lock.range().overlaps(range)) {
            var lock = node.lock;
            remove(own, node);
            taken.add(
                    new ByteRange(
                            larger(node.first(), range.first()),
                            smaller(node.last(), range.last())));
            if (Long.compareUnsigned(node.first(), range.first()) < 0) {
                add(own, with(lock, new ByteRange(node.first(), range.first() - 1)), node.tag);
            }
            if (Long.compareUnsigned(node.last(), range.last()) > 0) {
                add(own, with(lock, new ByteRange(range.last() + 1, node.last())), node.tag);
                return taken;
            }
            node = next(own, node.first());
        }
        return taken;
    }

    /** Returns the first of an owner's ranges that may lie in a range; null if there is none. */
    private static <O> RangeNode<O> first(TreeMap<Long, RangeNode<O>> own, ByteRange range) {
        var entry = own.floorEntry(range.first());
        var node = entry == null ? null : entry.getValue();
        return node == null || !node.lock.range().overlaps(range) ? next(own, range.first()) : node;
    }

    private static <O> RangeNode<O> next(TreeMap<Long, RangeNode<O>> own, long first) {
        var entry = own.higherEntry(first);
        return entry == null ? null : entry.getValue();
    }

    private static <O> RangeLock<O> with(RangeLock<O> lock, ByteRange range) {
        return new RangeLock<>(lock.owner(), lock.type(), range);
    }

    private void add(TreeMap<Long, RangeNode<O>> own, RangeLock<O> lock, int tag) {
        var node = new RangeNode<>(lock, tag, ++lastNumber, own);
        own.put(node.first(), node);
        tree(lock.type()).add(node);
        size++;
    }

    private void remove(TreeMap<Long, RangeNode<O>> own, RangeNode<O> node) {
        own.remove(node.first());
        tree(node.lock.type()).remove(node);
        node.isGone = true;
        size--;
    }

    private RangeTree<O> tree(LockMode type) {
        return switch (type) {
            case WRITE -> writes;
            case READ -> reads;
        };
    }

    /**
     * Returns how all owners together lock a range: its parts, in order and without gaps. Parts
     * that touch differ in their type.
     */
    public List<Part> union(ByteRange range) {
        return union(range, Integer.MAX_VALUE);
    }

    /** Returns the first parts of a range, as above, at most so many; not less than one. */
    public List<Part> union(ByteRange range, int max) {
        var parts = new ArrayList<Part>();
        long at = range.first();
        while (true) {
            var part = partFrom(at, range.last());
            if (!parts.isEmpty() && parts.getLast().type().equals(part.type())) {
                var previous = parts.removeLast();
                var joined = new ByteRange(previous.range().first(), part.range().last());
                parts.add(new Part(joined, part.type()));
            } else if (parts.size() == max) {
                return parts;
            } else {
                parts.add(part);
            }
            if (part.range().last() == range.last()) {
                return parts;
            }
            at = part.range().last() + 1;
        }
    }

    /** Returns a part that begins at a byte and has one type. */
    private Part partFrom(long at, long last) {
        var write = writes.reachFrom(at);
        if (write.isPresent() && Long.compareUnsigned(write.getAsLong(), at) >= 0) {
            return part(at, smaller(write.getAsLong(), last), Optional.of(LockMode.WRITE));
        }
        long end = last;
        var nextWrite = writes.nextAfter(at);
        if (nextWrite.isPresent()) {
            end = smaller(end, nextWrite.getAsLong() - 1);
        }
        var reach = reads.reachFrom(at);
        if (reach.isPresent() && Long.compareUnsigned(reach.getAsLong(), at) >= 0) {
            return part(at, smaller(reach.getAsLong(), end), Optional.of(LockMode.READ));
        }
        var nextRead = reads.nextAfter(at);
        if (nextRead.isPresent()) {
            end = smaller(end, nextRead.getAsLong() - 1);
        }
        return part(at, end, Optional.empty());
    }

    private static Part part(long first, long last, Optional<LockMode> type) {
        return new Part(new ByteRange(first, last), type);
    }

    private static long smaller(long one, long other) {
        return Long.compareUnsigned(one, other) < 0 ? one : other;
    }

    private static long larger(long one, long other) {
        return Long.compareUnsigned(one, other) < 0 ? other : one;
    }

    /** Returns the locks of an owner, in the order of their ranges. */
    public List<RangeLock<O>> of(O owner) {
        var own = byOwner.get(owner);
        return own == null ? List.of() : own.values().stream().map(node -> node.lock).toList();
    }

    /** Returns the parts of an owner's locks that lie in a range, in their order. */
    public List<Tagged<O>> of(O owner, ByteRange range) {
        var own = byOwner.get(owner);
        if (own == null) {
            return List.of();
        }
        var parts = new ArrayList<Tagged<O>>();
        for (var node = first(own, range);
                node != null && node.lock.range().overlaps(range);
                node = next(own, node.first())) {
            var part = with(node.lock, node.lock.range().common(range));
            parts.add(new Tagged<>(part, node.tag));
        }
        return parts;
    }

    /** Returns whether an owner has any lock. */
    public boolean isOwner(O owner) {
        return byOwner.containsKey(owner);
    }

    /** Returns the number of locks; ranges that were merged are one. */
    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }
}
