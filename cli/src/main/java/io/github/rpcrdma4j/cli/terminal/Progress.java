package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;

/**
 * Shows the progress of a copy. On a terminal it draws a bar with rate and remaining time, unless
 * the copy is quick. {@link #finish} returns the totals.
 *
 * <p>Tests: {@code SelectedCopiesTest}, {@code CutCopiesTest}, {@code WaitTextTest}.
 */
public final class Progress implements CopyListener, AutoCloseable {
    private static final int UPDATE_MILLIS = 200;
    private static final long MIB = 1 << 20;

    /** Narrower than most terminals, so that the line does not wrap. */
    private static final int COLUMNS = 79;

    /** The time that must pass before a bar is drawn. */
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The unit of a bar. */
    public enum Unit {
        BYTES,
        FILES
    }

    /** Shorter waits are no news. */
    private static final Duration WAIT_MIN = Duration.ofSeconds(1);

    private final String name;
    private final ProgressLine line;
    private final Unit unit;
    private final ProgressBar bar;
    private final LongAdder bytes = new LongAdder();
    private final LongAdder moved = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder unchanged = new LongAdder();
    private final LongAdder resumed = new LongAdder();
    private final AtomicBoolean saidNotResumable = new AtomicBoolean();
    private final LongAdder deleted = new LongAdder();
    private volatile Waits waits = new Waits();
    private volatile Plan plan;
    private volatile boolean namesFiles;
    private volatile boolean isAsking;
    private final long start = System.nanoTime();

    private Progress(String name, Unit unit, PrintWriter err, boolean isShown) {
        this.name = name;
        this.line = new ProgressLine(err);
        this.unit = unit;
        this.bar = isShown ? bar(name) : null;
    }

    private ProgressBar bar(String name) {
        var builder =
                new ProgressBarBuilder()
                        .setTaskName(name)
                        .setUpdateIntervalMillis(UPDATE_MILLIS)
                        .showSpeed()
                        // Also while nothing goes on, which is when a user looks.
                        .continuousUpdate()
                        .setConsumer(new DelegatingProgressBarConsumer(this::draw, COLUMNS));
        return switch (unit) {
            case BYTES -> builder.setInitialMax(0).setUnit(" MiB", MIB).build();
            // The total is unknown until all files are done.
            case FILES -> builder.setInitialMax(-1).setUnit(" files", 1).build();
        };
    }

    private void draw(String drawn) {
        if (System.nanoTime() - start >= QUICK_NANOS && !isAsking) {
            line.draw(waiting().orElse(drawn));
        }
    }

    /** Returns what stands in place of the bar while nothing goes on. */
    private Optional<String> waiting() {
        return waits.now()
                .filter(each -> each.lasted().compareTo(WAIT_MIN) >= 0)
                .map(each -> WaitText.of(name, each));
    }

    /** Shows in place of the bar what calls wait for. Returns whether there is a bar. */
    public boolean shows(Waits shown) {
        waits = shown;
        return bar != null;
    }

    /**
     * Creates a progress display; it has a bar if standard error is a terminal.
     *
     * @param err standard error, which receives the bar and each failure
     */
    public static Progress of(String name, Unit unit, PrintWriter err) {
        return new Progress(name, unit, err, Terminal.isError());
    }

    /** Creates a progress display with a bar. */
    static Progress withBar(String name, Unit unit, PrintWriter terminal) {
        return new Progress(name, unit, terminal, true);
    }

    /** Creates a progress display without a bar. */
    public static Progress withoutBar(PrintWriter err) {
        return new Progress("", Unit.BYTES, err, false);
    }

    @Override
    public synchronized void expect(long count) {
        if (bar != null && unit == Unit.BYTES) {
            // A server can report any size, and the sum may overflow.
            long all = bar.getMax() + count;
            bar.maxHint(count < 0 || all < 0 ? Long.MAX_VALUE : all);
        }
    }

    @Override
    public void copied(long count) {
        moved.add(count);
        if (bar != null && unit == Unit.BYTES) {
            bar.stepBy(count);
        }
    }

    @Override
    public void lost(long count) {
        copied(-count);
    }

    @Override
    public void file(String name, long count) {
        bytes.add(count);
        files.increment();
        named(name);
        if (bar != null && unit == Unit.FILES) {
            bar.step();
        }
    }

    @Override
    public void resumed(long count) {
        copied(count);
        resumed.add(count);
    }

    @Override
    public void notResumable(String name) {
        // The other files of a tree are usually in directories of the same kind.
        if (!saidNotResumable.getAndSet(true)) {
            println(
                    "rpcrdma: --resume does not work for "
                            + Printable.line(name)
                            + ", which is copied from the beginning: other users may rename files"
                            + " in its directory");
        }
    }

    @Override
    public void unchanged(String name) {
        unchanged.increment();
    }

    @Override
    public void deleted(String name) {
        deleted.increment();
        named("removed " + name);
    }

    /** Sets whether each file is named when it is done. */
    public void setNamed(boolean wanted) {
        namesFiles = wanted;
    }

    private void named(String words) {
        if (namesFiles) {
            println(Printable.line(words));
        }
    }

    /** Sets what receives the steps of a copy that is only tried. */
    public void setPlan(Plan receiver) {
        plan = receiver;
    }

    @Override
    public void planned(Step step, String name, long count) {
        plan.add(step, name, count);
    }

    @Override
    public void failed(IOException why) {
        failures.increment();
        println("rpcrdma: " + FailureText.oneLine(why));
    }

    @Override
    public void attributesLeft(String name) {
        println(
                "rpcrdma: "
                        + Printable.line(name)
                        + " keeps its own mode, owner and times, because it is the root of an"
                        + " export: chmod and chown change them");
    }

    /** Asks the user something. There is no bar until {@link #goOn}. */
    public void ask(String question) {
        isAsking = true;
        line.ask(question);
    }

    /** Draws the bar again after a question. */
    public void goOn() {
        isAsking = false;
    }

    /** Prints a line above the bar. */
    public void println(String words) {
        line.println(words);
    }

    /** Returns how many files are done. */
    public long files() {
        return files.sum();
    }

    /** Erases the bar and returns the totals, in one line. */
    public String finish() {
        close();
        double seconds = (System.nanoTime() - start) / 1e9;
        long count = files.sum();
        // What an earlier copy has sent took no time of this one.
        long sent = Math.max(bytes.sum() - resumed.sum(), 0);
        return String.format(
                Locale.ROOT,
                "%s, %s in %.1f s, %s/s%s%s%s%s",
                Count.words(count, "file"),
                ByteCount.words(sent),
                seconds,
                ByteCount.words((long) (sent / Math.max(seconds, 1e-3))),
                resumed.sum() == 0 ? "" : "; " + ByteCount.words(resumed.sum()) + " were there",
                part(unchanged, "unchanged"),
                part(deleted, "removed"),
                part(failures, "failed"));
    }

    /** Returns how much of files was copied that are not complete, as the end of a message. */
    public String incomplete() {
        long count = moved.sum() - bytes.sum();
        return count <= 0 ? "" : "; " + ByteCount.words(count) + " of incomplete files were copied";
    }

    private static String part(LongAdder count, String words) {
        long sum = count.sum();
        return sum == 0 ? "" : "; " + sum + " " + words;
    }

    /** Returns the totals as JSON fields. */
    public Map<String, Object> json() {
        var json = new LinkedHashMap<String, Object>();
        json.put("files", files.sum());
        json.put("bytes", bytes.sum());
        json.put("resumedBytes", resumed.sum());
        json.put("seconds", (System.nanoTime() - start) / 1e9);
        json.put("unchanged", unchanged.sum());
        json.put("removed", deleted.sum());
        json.put("failed", failures.sum());
        return json;
    }

    /** Erases the bar; it is not drawn again. */
    @Override
    public void close() {
        line.close();
        if (bar != null) {
            bar.close();
        }
    }
}
