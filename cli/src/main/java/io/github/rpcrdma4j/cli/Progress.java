package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.CopyListener;
import java.util.concurrent.atomic.LongAdder;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;

/** A bar with rate and remaining time on a terminal, and the totals for everybody. */
final class Progress implements CopyListener, AutoCloseable {
    private static final int UPDATE_MILLIS = 200;
    private static final long MIB = 1 << 20;

    private final ProgressBar bar;
    private final LongAdder octets = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final long start = System.nanoTime();

    private Progress(ProgressBar bar) {
        this.bar = bar;
    }

    /** A bar if standard error is watched by somebody. */
    static Progress of(String name) {
        var console = System.console();
        if (console == null || !console.isTerminal()) {
            return new Progress(null);
        }
        return new Progress(
                new ProgressBarBuilder()
                        .setTaskName(name)
                        .setInitialMax(0)
                        .setUnit(" MiB", MIB)
                        .setUpdateIntervalMillis(UPDATE_MILLIS)
                        .showSpeed()
                        .build());
    }

    @Override
    public synchronized void expect(long count) {
        if (bar != null) {
            bar.maxHint(bar.getMax() + count);
        }
    }

    @Override
    public void copied(long count) {
        octets.add(count);
        if (bar != null) {
            bar.stepBy(count);
        }
    }

    @Override
    public void file(String name) {
        files.increment();
    }

    /** Takes the bar away and tells what was copied, in one line. */
    String finish() {
        close();
        double seconds = (System.nanoTime() - start) / 1e9;
        return "%d files, %s in %.1f s, %s/s"
                .formatted(
                        files.sum(),
                        Octets.words(octets.sum()),
                        seconds,
                        Octets.words((long) (octets.sum() / Math.max(seconds, 1e-3))));
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
