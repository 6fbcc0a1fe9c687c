package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.latency.LatencyStudy;
import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.round.Pairs;
import io.github.rpcrdma4j.bench.round.Progress;
import io.github.rpcrdma4j.bench.round.RoundTiming;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** A measurement in addition to the table. */
public enum Study {
    /** The time to connect. */
    SETUP(context -> new SetUpStudy(context).run()),
    /** The rates of eight busy connections. */
    CONNECTIONS(context -> new ConnectionsStudy(context).run()),
    /** The cost of a thousand idle connections. */
    IDLE(context -> new IdleStudy(context).run()),
    /** The growth of a call's cost with connections, regions or files. */
    GROWTH(context -> new GrowthStudy(context).run()),
    /** The cost of distance between the ends, for each transfer model. */
    LATENCY(
            context ->
                    new LatencyStudy(
                                    context.timing(),
                                    context.out(),
                                    context.progress(),
                                    context.files())
                            .run());

    /**
     * The environment of a study.
     *
     * @param series the series that the user selected
     * @param out receives the results
     * @param files additional files for the results; only the latency study uses them
     */
    public record Context(
            Pairs pairs,
            RoundTiming timing,
            List<Series> series,
            PrintStream out,
            Progress progress,
            LatencyStudy.Files files) {}

    private interface Measurement {
        void run(Context context) throws IOException;
    }

    private final Measurement measurement;

    Study(Measurement measurement) {
        this.measurement = measurement;
    }

    /** Measures and prints the results. */
    public void run(Context context) throws IOException {
        measurement.run(context);
    }
}
