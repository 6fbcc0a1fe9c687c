package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;

/** Rows for tests. */
final class Rows {
    static final LoadPoint READ = new LoadPoint(Work.READ_1M, 8);
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
}
