package io.github.rpcrdma4j.nfs.directories.linux;

import java.util.List;
import java.util.TreeMap;

/**
 * The parts of a file that are locked in one way. Offsets are not negative, and a length of 0 means
 * all bytes from the offset on, as with fcntl(2). Not thread-safe.
 */
final class LockedParts {
    /** The last byte of each part, by its first byte. No two parts overlap or touch. */
    private final TreeMap<Long, Long> parts = new TreeMap<>();

    /** A part of a file. */
    record Part(long offset, long length) {}

    void add(long offset, long length) {
        long first = offset;
        long last = last(offset, length);
        var before = parts.floorEntry(first);
        if (before != null && before.getValue() >= first - 1) {
            first = before.getKey();
            last = Math.max(last, before.getValue());
        }
        var next = parts.ceilingEntry(first);
        while (next != null && next.getKey() - 1 <= last) {
            last = Math.max(last, next.getValue());
            parts.remove(next.getKey());
            next = parts.ceilingEntry(first);
        }
        parts.put(first, last);
    }

    void remove(long offset, long length) {
        long last = last(offset, length);
        var before = parts.lowerEntry(offset);
        if (before != null && before.getValue() >= offset) {
            parts.put(before.getKey(), offset - 1);
            keepAfter(last, before.getValue());
        }
        var next = parts.ceilingEntry(offset);
        while (next != null && next.getKey() <= last) {
            parts.remove(next.getKey());
            keepAfter(last, next.getValue());
            next = parts.ceilingEntry(offset);
        }
    }

    private void keepAfter(long removed, long last) {
        if (last > removed) {
            parts.put(removed + 1, last);
        }
    }

    boolean isEmpty() {
        return parts.isEmpty();
    }

    int size() {
        return parts.size();
    }

    List<Part> all() {
        return parts.entrySet().stream().map(each -> part(each.getKey(), each.getValue())).toList();
    }

    private static Part part(long first, long last) {
        return new Part(first, last == Long.MAX_VALUE ? 0 : last - first + 1);
    }

    private static long last(long offset, long length) {
        return length == 0 ? Long.MAX_VALUE : offset + length - 1;
    }
}
