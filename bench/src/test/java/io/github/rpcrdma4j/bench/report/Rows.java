package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;

/** Rows for tests. */
final class Rows {
    static final LoadPoint READ = new LoadPoint(Work.READ_1M, 8);
    static final LoadPoint SMALL_READ = new LoadPoint(Work.READ_64K, 8);
    static final LoadPoint NULL = new LoadPoint(Work.NULL, 1);

    private Rows() {}

    static Row row(Stack stack, boolean crc, LoadPoint point, double median) {
        return row(stack, crc, point, median, 0.25);
    }

    static Row row(Stack stack, boolean crc, LoadPoint point, double median, double cpu) {
        return new Row(
                new Series(stack, crc),
                point,
                new Spread(median, median / 2, median * 2),
                10,
                20,
                cpu,
                100,
                300);
    }

    /** Returns a row of rpcrdma4j whose sides allocate these bytes for a call. */
    static Row allocating(LoadPoint point, double clientBytes, double serverBytes) {
        return new Row(
                new Series(Stack.RPCRDMA4J, true),
                point,
                new Spread(20, 10, 40),
                10,
                20,
                0.25,
                clientBytes,
                serverBytes);
    }
}
