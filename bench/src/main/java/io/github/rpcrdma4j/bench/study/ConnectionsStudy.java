package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.report.Line;
import io.github.rpcrdma4j.bench.report.Table;
import io.github.rpcrdma4j.bench.round.MeasuringLoop;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Measures the table with several connections, each with one outstanding call. */
record ConnectionsStudy(Study.Bed bed) {
    private static final int CONNECTIONS = 8;

    private static final List<Work> WORKS =
            List.of(Work.NULL, Work.READ_4K, Work.READ_1M, Work.WRITE_1M);

    void run() throws IOException {
        bed.out().printf("%n%d connections, one call in flight on each%n", CONNECTIONS);
        Stream<Line> lines = WORKS.stream().map(work -> new Line(work, CONNECTIONS));
        new MeasuringLoop(bed.pairs(), bed.pace(), bed.series(), lines.toList(), CONNECTIONS)
                .run(bed.progress(), (line, rows) -> bed.out().print(Table.block(line, rows)));
    }
}
