package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * A log for failures that must not end a long-lived thread. Its methods never throw, even without
 * memory or descriptors. A recurring failure is logged once a minute. If the logger throws, {@link
 * #report} writes the line to standard error.
 *
 * <p>Thread-safe.
 */
public final class FailureLog {
    private static final long SILENCE_NANOS = Duration.ofMinutes(1).toNanos();

    /** The most kinds of lines. Further kinds are not logged until older ones have expired. */
    private static final int KINDS_MAX = 64;

    /** The most kinds of lines about clients, of all clients together. */
    private static final int OF_CLIENTS_MAX = 128;

    /** The standard error stream. It is never closed, because the process owns the descriptor. */
    private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);

    private final Logger log;

    private final LoggedKinds reports = new LoggedKinds(KINDS_MAX, SILENCE_NANOS);
    private final LoggedKinds warnings = new LoggedKinds(KINDS_MAX, SILENCE_NANOS);

    /** Apart from the others, because clients bring about as many as they like. */
    private final LoggedKinds ofClients = new LoggedKinds(OF_CLIENTS_MAX, SILENCE_NANOS);

    /**
     * Creates a log of failures.
     *
     * @param log takes the lines; it may throw anything
     */
    public FailureLog(Logger log) {
        this.log = log;
    }

    /**
     * Loads the classes and files that a server needs when no descriptor is left, as far as they
     * are known: what a logger needs to write a line, such as the time zone rules, and what chooses
     * a connection that makes room. A server calls this when it starts.
     */
    public static void preload() {
        var now = ZonedDateTime.now();
        // This is the line format of java.util.logging.
        var line = String.format("%1$tb %1$td, %1$tY %1$tl:%1$tM:%1$tS %1$Tp %2$s", now, "");
        try (var writer = new PrintWriter(new StringWriter())) {
            new Throwable(line).printStackTrace(writer);
        }
        System.getLogger(FailureLog.class.getName()).isLoggable(Level.ERROR);
        new LoggedKinds(KINDS_MAX, SILENCE_NANOS).isNewOf("", "", 0);
        new ConnectionsByAddress<>(List.<InetSocketAddress>of(), each -> each).ofFullest();
    }

    /**
     * Logs a failure, unless it was logged within the last minute.
     *
     * @param what the failed operation, for the operator: one line, equal each time
     * @param failure the cause
     */
    public void report(String what, Throwable failure) {
        try {
            if (reports.isNew(what + ": " + failure.getClass().getName(), System.nanoTime())) {
                log(what, failure);
            }
        } catch (Throwable _) {
            // There is no memory to record the failure. The thread goes on.
        }
    }

    /**
     * Returns work for a thread of its own that reports what the work throws, because nobody waits
     * for its end.
     *
     * @param what the work that failed, as for {@link #report}
     */
    public Runnable guarded(String what, Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (RuntimeException | Error broken) {
                report(what, broken);
            }
        };
    }

    /**
     * Logs a warning that is not a failure of this process, and that no single client brings about,
     * unless it was logged within the last minute.
     *
     * @param what the problem: equal each time
     * @param details the details of this occurrence
     */
    public void warn(String what, String details) {
        tell(Level.WARNING, what + ": " + details, now -> warnings.isNew(what, now));
    }

    /**
     * Logs a warning that a client brings about, unless it was logged for this client within the
     * last minute. See {@link #tell}.
     *
     * @param what the problem: equal each time
     * @param details the details of this occurrence
     */
    public void warn(ClientAddress client, String what, String details) {
        tell(Level.WARNING, client, what, what + ": " + details);
    }

    /**
     * Logs an entry that a client can bring about, unless one of its kind was logged for this
     * client within the last minute. There is room for 128 kinds a minute. A client has a quarter
     * of what the others leave, and at least one, so it keeps no entries about others out. Those of
     * {@link #report} have room of their own.
     *
     * @param client whom the entry is about; a user of this machine is one client, as far as the
     *     caller knows
     * @param kind equal each time
     * @param line the entry
     * @return whether it was logged
     */
    public boolean tell(Level level, ClientAddress client, String kind, String line) {
        return tell(level, line, now -> ofClients.isNewOf(client, kind, now));
    }

    private boolean tell(Level level, String line, LongPredicate isNew) {
        try {
            if (log.isLoggable(level) && isNew.test(System.nanoTime())) {
                log.log(level, line);
                return true;
            }
        } catch (Throwable _) {
            // The logger may accept the entry the next time.
        }
        return false;
    }

    /**
     * Logs that the connection of a client was refused, once a minute for each client.
     *
     * @param reason its message is one line for the operator
     */
    public void refused(ClientAddress client, InetSocketAddress address, IOException reason) {
        warn(
                client,
                "a connection was refused",
                HostPort.text(address) + ": " + reason.getMessage());
    }

    /** Logs that a client asks for TLS, once a minute for each client. */
    public void asksForTls(ClientAddress client, InetSocketAddress address) {
        tell(
                Level.WARNING,
                client,
                "TLS",
                address.getHostString() + " asks for TLS, which this server does not have");
    }

    private void log(String what, Throwable failure) {
        try {
            log.log(Level.ERROR, what, failure);
        } catch (Throwable unlogged) {
            var line = what + ": " + failure + " (cannot be logged: " + unlogged + ")\n";
            writeToDescriptor(line.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Writes to the descriptor itself, because the standard error stream may have been replaced.
     */
    private static void writeToDescriptor(byte[] line) {
        try {
            STANDARD_ERROR.write(line);
        } catch (IOException _) {
            // There is no standard error.
        }
    }
}
