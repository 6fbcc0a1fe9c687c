package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.stack.Stack;
import java.util.ArrayList;
import java.util.List;

/** A stack with or without CRC: one bar of the chart, and one row of each block of the table. */
public record Series(Stack stack, boolean crc) {
    /** Returns all series, in the order of the table. */
    public static List<Series> all() {
        var all = new ArrayList<Series>();
        for (var stack : Stack.values()) {
            for (boolean crc : new boolean[] {true, false}) {
                if (stack.takesCrc(crc)) {
                    all.add(new Series(stack, crc));
                }
            }
        }
        return all;
    }

    /** Returns the name for people, such as {@code rpcrdma4j, no CRC}. */
    public String label() {
        return stack.takesCrc(true) && !crc ? stack.label() + ", no CRC" : stack.label();
    }
}
