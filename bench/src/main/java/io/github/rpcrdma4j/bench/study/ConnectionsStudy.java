package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.report.LoadPoint;
import io.github.rpcrdma4j.bench.report.Table;
import io.github.rpcrdma4j.bench.round.MeasuringLoop;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Measures the table with several connections, each with one outstanding call. */
record ConnectionsStudy(Study.Context context) {
    private static final int CONNECTIONS = 8;

    private static final List<Work> WORKS =
            List.of(Work.NULL, Work.READ_4K, Work.READ_1M, Work.WRITE_1M);

    void run() throws IOException {
        context.out().printf("%n%d connections, one call outstanding on each%n", CONNECTIONS);
        Stream<LoadPoint> points = WORKS.stream().map(work -> new LoadPoint(work, CONNECTIONS));
        new MeasuringLoop(
                        context.pairs(),
                        context.timing(),
                        context.series(),
                        points.toList(),
                        CONNECTIONS)
                .run(
                        context.progress(),
                        (point, rows) -> context.out().print(Table.block(point, rows)));
    }
}
