package io.github.rpcrdma4j.rdmacore;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/**
 * A log of failures for threads that must go on. Its methods never throw. If the logger throws, the
 * line goes to standard error. Thread-safe.
 */
final class SafeLog {
    /** Standard error. It is never closed, because the process owns the descriptor. */
    private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);

    private final Logger log;
    private final OutputStream otherwise;

    /**
     * @param log takes the lines; it may throw anything
     */
    SafeLog(Logger log) {
        this(log, STANDARD_ERROR);
    }

    /**
     * @param otherwise takes the lines that the logger does not take
     */
    SafeLog(Logger log, OutputStream otherwise) {
        this.log = log;
        this.otherwise = otherwise;
    }

    /** Logs an operation that failed. */
    void failed(String what, Throwable failure) {
        try {
            log.log(Level.ERROR, what, failure);
        } catch (Throwable unlogged) {
            write(what + ": " + failure, unlogged);
        }
    }

    /** Logs a line. */
    void line(Level level, String line) {
        try {
            log.log(level, line);
        } catch (Throwable unlogged) {
            write(line, unlogged);
        }
    }

    private void write(String words, Throwable unlogged) {
        try {
            var line = words + " (cannot be logged: " + unlogged + ")\n";
            otherwise.write(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException | RuntimeException | Error _) {
            // There is no standard error, or no memory for the line. The thread goes on.
        }
    }
}
