package io.github.rpcrdma4j.oncrpc.spi;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a long-lived thread says when something failed that must not end it. Saying it never throws,
 * whatever state the process is in, and a failure that comes again and again is said once a minute.
 * What the logger cannot take goes to the standard error stream.
 *
 * <p>Thread-safe.
 */
public final class FailureLog {
    private static final long SILENCE_NANOS = Duration.ofMinutes(1).toNanos();

    /** Beyond so many kinds of failures nothing more is said until the first are old. */
    private static final int KINDS_MAX = 64;

    /** Never closed: the descriptor belongs to the process. */
    private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);

    private final Logger log;

    /** When a kind of failure was said last, by {@link System#nanoTime}. */
    private final ConcurrentHashMap<String, Long> said = new ConcurrentHashMap<>();

    /**
     * A log of failures.
     *
     * @param log takes the lines; it may throw anything
     */
    public FailureLog(Logger log) {
        this.log = log;
    }

    /**
     * Loads what a logger needs to write a line, as far as it can be foreseen: the rules of time
     * zones are in a file of their own, which cannot be opened when no descriptor is left. To be
     * called when a server starts.
     */
    public static void warmUp() {
        var now = ZonedDateTime.now();
        // The format of a line by java.util.logging.
        var line = String.format("%1$tb %1$td, %1$tY %1$tl:%1$tM:%1$tS %1$Tp %2$s", now, "");
        try (var writer = new PrintWriter(new StringWriter())) {
            new Throwable(line).printStackTrace(writer);
        }
        System.getLogger(FailureLog.class.getName()).isLoggable(Level.ERROR);
    }

    /**
     * Says that something failed, unless it was said within the last minute.
     *
     * @param what failed, for the operator: one line, the same each time
     * @param failure why
     */
    public void report(String what, Throwable failure) {
        try {
            if (isNew(what + ": " + failure.getClass().getName(), System.nanoTime())) {
                log(what, failure);
            }
        } catch (Throwable _) {
            // There is no memory to remember it by; the thread goes on.
        }
    }

    /**
     * Says that something is not as it should be, which is no failure of this process; unless it
     * was said within the last minute.
     *
     * @param what is wrong: the same each time
     * @param details what is known of it now
     */
    public void warn(String what, String details) {
        try {
            if (isNew(what, System.nanoTime())) {
                log.log(Level.WARNING, what + ": " + details);
            }
        } catch (Throwable _) {
            // What the logger cannot take now, it may the next time.
        }
    }

    private void log(String what, Throwable failure) {
        try {
            log.log(Level.ERROR, what, failure);
        } catch (Throwable unsaid) {
            var line = what + ": " + failure + " (cannot be logged: " + unsaid + ")\n";
            sayAnyway(line.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Past the stream of the process, which may have been replaced. */
    private static void sayAnyway(byte[] line) {
        try {
            STANDARD_ERROR.write(line);
        } catch (IOException _) {
            // There is none.
        }
    }

    private boolean isNew(String kind, long now) {
        var before = said.get(kind);
        if (before != null && now - before < SILENCE_NANOS) {
            return false;
        }
        if (before == null && said.size() >= KINDS_MAX) {
            said.values().removeIf(each -> now - each >= SILENCE_NANOS);
            if (said.size() >= KINDS_MAX) {
                return false;
            }
        }
        said.put(kind, now);
        return true;
    }
}
