package io.github.rpcrdma4j.interop;

import java.util.ArrayList;
import java.util.List;

/**
 * How memory is cut into segments.
 *
 * @param lengths of the segments, in bytes, in list order
 * @param apart whether each segment is a registration of its own, with a handle of its own;
 *     otherwise all lie in one
 */
record Layout(List<Integer> lengths, boolean apart) {
    Layout {
        lengths = List.copyOf(lengths);
    }

    /** Segments of these lengths, with one handle. */
    static Layout of(Integer... lengths) {
        return new Layout(List.of(lengths), false);
    }

    /** As many bytes, in segments of the given length and a last one with the rest. */
    static Layout cut(int bytes, int segment) {
        var lengths = new ArrayList<Integer>();
        for (int left = bytes; left > 0; left -= segment) {
            lengths.add(Math.min(left, segment));
        }
        return new Layout(lengths, false);
    }

    /** This layout with a handle for each segment. */
    Layout eachApart() {
        return new Layout(lengths, true);
    }

    /** This layout and one more segment. */
    Layout and(int length) {
        var more = new ArrayList<>(lengths);
        more.add(length);
        return new Layout(more, apart);
    }

    int bytes() {
        return lengths.stream().mapToInt(Integer::intValue).sum();
    }
}
