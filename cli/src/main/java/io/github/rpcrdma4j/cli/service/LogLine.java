package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Printable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * An entry of the log in one line. Names that a client has sent may be in it, so control characters
 * are escaped, and its length has a bound.
 */
final class LogLine {
    /** The most characters of an entry. A path of a client has up to 1024. */
    static final int CHARACTERS_MAX = 2000;

    private static final String CUT = "...";

    /** How many calls the line of an internal error names. */
    private static final int FRAMES_MAX = 8;

    /** With the offset, because hosts are in different zones, and a day may have an hour twice. */
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx");

    private LogLine() {}

    /** Returns an entry with its time and its level. */
    static byte[] timed(Instant time, ZoneId zone, Level level, String text) {
        return bytes(TIME.format(time.atZone(zone)) + " " + level.getName() + " " + text);
    }

    /** Returns an entry for journald, which knows the time: {@code sd-daemon(3)}. */
    static byte[] ofJournal(Level level, String text) {
        return bytes("<" + priority(level) + ">" + text);
    }

    private static byte[] bytes(String line) {
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the priority of {@code syslog(3)}. */
    private static int priority(Level level) {
        return switch (level) {
            case OFF, ERROR -> 3;
            case WARNING -> 4;
            case ALL, INFO -> 6;
            case DEBUG, TRACE -> 7;
        };
    }

    /**
     * Returns the text of an entry.
     *
     * @param cause null if there is none
     */
    static String text(String message, Throwable cause) {
        var all = cause == null ? message : message + ": " + words(cause);
        return cut(Printable.line(cut(all)));
    }

    private static String cut(String text) {
        return text.length() <= CHARACTERS_MAX
                ? text
                : text.substring(0, CHARACTERS_MAX - CUT.length()) + CUT;
    }

    /** An error of this program names its place, for a report to its authors. */
    private static String words(Throwable cause) {
        if (cause instanceof IOException failed) {
            return FailureText.oneLine(failed);
        }
        var inner = cause.getCause();
        return cause
                + places(cause)
                + (inner == null || inner == cause ? "" : ", because of " + inner + places(inner));
    }

    private static String places(Throwable error) {
        return Arrays.stream(error.getStackTrace())
                .limit(FRAMES_MAX)
                .map(LogLine::place)
                .collect(Collectors.joining(" < ", " [", "]"));
    }

    private static String place(StackTraceElement frame) {
        var name = frame.getClassName();
        return name.substring(name.lastIndexOf('.') + 1)
                + "."
                + frame.getMethodName()
                + ":"
                + frame.getLineNumber();
    }
}
