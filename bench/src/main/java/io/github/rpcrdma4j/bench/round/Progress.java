package io.github.rpcrdma4j.bench.round;

import java.io.PrintStream;
import java.time.Duration;

/**
 * Shows the present measurement and the remaining time on a terminal; elsewhere prints only a line
 * for each phase.
 */
public final class Progress {
    private static final String CLEAR = "\r\033[K";

    private final PrintStream out;
    private final boolean isTerminal;
    private final long plannedNanos;
    private final long start = System.nanoTime();
    private long doneNanos;

    public Progress(PrintStream out, long plannedNanos) {
        this.out = out;
        this.isTerminal = System.console() != null && System.console().isTerminal();
        this.plannedNanos = plannedNanos;
    }

    /** Reports the start of a phase: a load point of the table or a study. */
    public void phase(String what) {
        if (!isTerminal) {
            out.printf("measuring %s%s%n", what, plannedNanos == 0 ? "" : done());
        }
    }

    /** Reports the start of a measurement of {@code nanos} nanoseconds. */
    public void step(String what, long nanos) {
        if (isTerminal) {
            out.printf("%s%s%s%s", CLEAR, what, plannedNanos == 0 ? "" : done(), left());
            out.flush();
        }
        doneNanos += nanos;
    }

    /** Clears the progress line, so that other output can follow. */
    public void clear() {
        if (isTerminal) {
            out.print(CLEAR);
            out.flush();
        }
    }

    private String done() {
        return " (" + percent() + " % done)";
    }

    private long percent() {
        return plannedNanos == 0 ? 0 : Math.min(100, 100 * doneNanos / plannedNanos);
    }

    private String left() {
        if (doneNanos == 0 || plannedNanos == 0) {
            return "";
        }
        double slowness = (System.nanoTime() - start) / (double) doneNanos;
        var left = Duration.ofNanos((long) (slowness * (plannedNanos - doneNanos)));
        return left.isNegative()
                ? ""
                : String.format(", about %d:%02d left", left.toMinutes(), left.toSecondsPart());
    }
}
