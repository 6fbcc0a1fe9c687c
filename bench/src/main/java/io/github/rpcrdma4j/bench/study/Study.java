package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.latency.LatencyStudy;
import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.round.Pace;
import io.github.rpcrdma4j.bench.round.Pairs;
import io.github.rpcrdma4j.bench.round.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** A measurement beyond the table. */
public enum Study {
    /** How long it takes to connect. */
    SETUP(bed -> new SetUpStudy(bed).run()),
    /** Eight connections at work. */
    CONNECTIONS(bed -> new ConnectionsStudy(bed).run()),
    /** What a thousand connections cost that do nothing. */
    IDLE(bed -> new IdleStudy(bed).run()),
    /** Whether a call costs more with many connections, regions or files. */
    GROWTH(bed -> new GrowthStudy(bed).run()),
    /** What the distance between the ends costs with each way to move data. */
    LATENCY(bed -> new LatencyStudy(bed.pace(), bed.out(), bed.progress(), bed.files()).run());

    /**
     * What a study works with.
     *
     * @param series those that the user wants
     * @param out where what it found goes
     * @param files where it goes beside, for the study of latency alone
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

    /** Measures and tells. */
    public void run(Bed bed) throws IOException {
        measurement.run(bed);
    }
}
