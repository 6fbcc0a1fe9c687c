package io.github.rpcrdma4j.interop;

import java.util.ArrayList;
import java.util.List;

/**
 * A division of memory into segments.
 *
 * @param lengths the lengths of the segments, in bytes, in list order
 * @param apart whether each segment has a handle of its own; otherwise all segments share one
 *     handle
 */
record Layout(List<Integer> lengths, boolean apart) {
    Layout {
        lengths = List.copyOf(lengths);
    }

    /** Returns a layout with segments of these lengths, in bytes, and one handle. */
    static Layout of(Integer... lengths) {
        return new Layout(List.of(lengths), false);
    }

    /**
     * Returns a layout of {@code bytes} bytes: segments of {@code segment} bytes, and a last one
     * with the rest.
     */
    static Layout cut(int bytes, int segment) {
        var lengths = new ArrayList<Integer>();
        for (int left = bytes; left > 0; left -= segment) {
            lengths.add(Math.min(left, segment));
        }
        return new Layout(lengths, false);
    }

    /** Returns this layout with a handle for each segment. */
    Layout eachApart() {
        return new Layout(lengths, true);
    }

    /** Returns this layout with one more segment of {@code length} bytes at its end. */
    Layout and(int length) {
        var more = new ArrayList<>(lengths);
        more.add(length);
        return new Layout(more, apart);
    }

    int bytes() {
        return lengths.stream().mapToInt(Integer::intValue).sum();
    }
}
