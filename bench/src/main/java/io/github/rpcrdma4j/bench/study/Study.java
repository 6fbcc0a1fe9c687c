package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.latency.LatencyStudy;
import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.round.Pace;
import io.github.rpcrdma4j.bench.round.Pairs;
import io.github.rpcrdma4j.bench.round.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** A measurement in addition to the table. */
public enum Study {
    /** The time to connect. */
    SETUP(bed -> new SetUpStudy(bed).run()),
    /** The rates of eight busy connections. */
    CONNECTIONS(bed -> new ConnectionsStudy(bed).run()),
    /** The cost of a thousand idle connections. */
    IDLE(bed -> new IdleStudy(bed).run()),
    /** The growth of a call's cost with connections, regions or files. */
    GROWTH(bed -> new GrowthStudy(bed).run()),
    /** The cost of distance between the ends, for each way to move data. */
    LATENCY(bed -> new LatencyStudy(bed.pace(), bed.out(), bed.progress(), bed.files()).run());

    /**
     * The environment of a study.
     *
     * @param series the series that the user selected
     * @param out receives the results
     * @param files additional files for the results; only the latency study uses them
     */
    public record Bed(
            Pairs pairs,
            Pace pace,
            List<Series> series,
            PrintStream out,
            Progress progress,
            LatencyStudy.Files files) {}

    private interface Measurement {
        void run(Bed bed) throws IOException;
    }

    private final Measurement measurement;

    Study(Measurement measurement) {
        this.measurement = measurement;
    }

    /** Measures and prints the results. */
    public void run(Bed bed) throws IOException {
        measurement.run(bed);
    }
}
