package io.github.rpcrdma4j.cli.service;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;

/**
 * The log of this process: lines on standard error, or in a file. If the file cannot be written, a
 * line goes to standard error. Thread-safe.
 */
public final class Log {
    /** That of all loggers: the process has one standard error. */
    public static final Log OF_PROCESS = new Log(isJournal(System.getenv("JOURNAL_STREAM")));

    /** Of other programs in this process, the least entries are not written. */
    private static final String OWN = "io.github.rpcrdma4j.";

    private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);

    private final boolean isJournal;
    private volatile LogLevel level = LogLevel.INFO;

    /** Null: standard error. Guarded by this. */
    private LogFile file;

    Log(boolean isJournal) {
        this.isJournal = isJournal;
        // What a line needs is loaded now: later there may be no memory or descriptor for that.
        timed(Level.INFO, LogLine.text("", new IOException("")));
        timed(Level.INFO, LogLine.text("", new IllegalStateException()));
    }

    /**
     * Returns whether standard error is the journal of systemd.
     *
     * @param stream the variable JOURNAL_STREAM: device and inode of the journal; null if there is
     *     none
     */
    private static boolean isJournal(String stream) {
        if (stream == null) {
            return false;
        }
        try {
            var open = Files.readAttributes(Path.of("/proc/self/fd/2"), "unix:dev,ino");
            return stream.equals(open.get("dev") + ":" + open.get("ino"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
            return false;
        }
    }

    /** Writes entries of this level, and more severe ones, from now on. */
    public void setLevel(LogLevel other) {
        level = other;
    }

    LogLevel level() {
        return level;
    }

    /**
     * Writes to another file from now on. The file before is closed when no line is on its way.
     *
     * @param other null: standard error
     */
    synchronized void setFile(LogFile other) {
        var before = file;
        file = other;
        if (before != null) {
            before.close();
        }
    }

    boolean isWritten(String logger, Level ofEntry) {
        return level.includes(ofEntry)
                && (LogLevel.INFO.includes(ofEntry) || logger.startsWith(OWN));
    }

    /**
     * Writes an entry. May wait for the file or the reader of standard error.
     *
     * @param cause null if there is none
     */
    void write(Level ofEntry, String message, Throwable cause) {
        var text = LogLine.text(message, cause);
        synchronized (this) {
            if (file == null || !writeToFile(timed(ofEntry, text))) {
                writeToStandardError(
                        isJournal ? LogLine.ofJournal(ofEntry, text) : timed(ofEntry, text));
            }
        }
    }

    private static byte[] timed(Level ofEntry, String text) {
        return LogLine.timed(Instant.now(), ZoneId.systemDefault(), ofEntry, text);
    }

    private boolean writeToFile(byte[] line) {
        try {
            file.write(line);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static void writeToStandardError(byte[] line) {
        try {
            STANDARD_ERROR.write(line);
        } catch (IOException _) {
            // There is no place for it.
        }
    }
}
