package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs commands in this process, and keeps the output of the last one. */
public final class Console {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Returns the standard output of the last command. */
    public String out() {
        return out.toString();
    }

    /** Returns the standard error of the last command. */
    public String err() {
        return err.toString();
    }

    /** Returns the lines of {@link #err}. */
    public List<String> errLines() {
        return err().lines().toList();
    }

    /**
     * Runs a command.
     *
     * @return the exit code
     */
    public int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Rpcrdma.commandLine(arguments)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    public void succeeds(String... arguments) {
        assertEquals(0, run(arguments), () -> String.join(" ", arguments) + ": " + err);
    }

    /** Checks that a command exits with 1, and prints one line that contains these words. */
    public void failsWithOneLine(String words, String... arguments) {
        assertEquals(1, run(arguments), () -> String.join(" ", arguments) + ": " + err);
        assertEquals(1, errLines().size(), this::err);
        assertTrue(err().contains(words), this::err);
    }
}
