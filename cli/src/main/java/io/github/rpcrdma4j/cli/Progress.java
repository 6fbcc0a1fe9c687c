package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.CopyListener;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.atomic.LongAdder;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;

/** A bar with rate and remaining time on a terminal, and the totals in any case. */
final class Progress implements CopyListener, AutoCloseable {
    private static final int UPDATE_MILLIS = 200;
    private static final long MIB = 1 << 20;

    private final ProgressBar bar;
    private final LongAdder octets = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final long start = System.nanoTime();

    private final LongAdder failures = new LongAdder();
    private final PrintWriter err;

    private Progress(ProgressBar bar, PrintWriter err) {
        this.bar = bar;
        this.err = err;
    }

    /**
     * A bar if there is a terminal for it.
     *
     * @param err is told of each failure
     */
    static Progress of(String name, PrintWriter err) {
        var console = System.console();
        if (console == null || !console.isTerminal()) {
            return new Progress(null, err);
        }
        return new Progress(
                new ProgressBarBuilder()
                        .setTaskName(name)
                        .setInitialMax(0)
                        .setUnit(" MiB", MIB)
                        .setUpdateIntervalMillis(UPDATE_MILLIS)
                        .showSpeed()
                        .build(),
                err);
    }

    @Override
    public synchronized void expect(long count) {
        if (bar != null) {
            // A server can say any size, and the sum of them leave the range.
            long all = bar.getMax() + count;
            bar.maxHint(count < 0 || all < 0 ? Long.MAX_VALUE : all);
        }
    }

    @Override
    public void copied(long count) {
        if (bar != null) {
            bar.stepBy(count);
        }
    }

    @Override
    public void again(long count) {
        if (bar != null) {
            bar.stepBy(-count);
        }
    }

    @Override
    public void file(String name, long count) {
        octets.add(count);
        files.increment();
    }

    @Override
    public synchronized void failed(IOException why) {
        failures.increment();
        err.println("rpcrdma: " + Rpcrdma.oneLine(why));
    }

    /** Takes the bar away and tells what was copied, in one line. */
    String finish() {
        close();
        double seconds = (System.nanoTime() - start) / 1e9;
        long count = files.sum();
        long failed = failures.sum();
        return "%s, %s in %.1f s, %s/s%s"
                .formatted(
                        Count.words(count, "file"),
                        Octets.words(octets.sum()),
                        seconds,
                        Octets.words((long) (octets.sum() / Math.max(seconds, 1e-3))),
                        failed == 0 ? "" : "; " + failed + " failed");
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
