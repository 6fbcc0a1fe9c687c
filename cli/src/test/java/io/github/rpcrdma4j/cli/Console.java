package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs commands in this process, and keeps what the last one printed. */
final class Console {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** What the last command printed. */
    String out() {
        return out.toString();
    }

    /** What the last command said on standard error. */
    String err() {
        return err.toString();
    }

    /** The lines of {@link #err}. */
    List<String> said() {
        return err().lines().toList();
    }

    /**
     * @return the exit code
     */
    int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Rpcrdma.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    void succeeds(String... arguments) {
        assertEquals(0, run(arguments), () -> String.join(" ", arguments) + ": " + err);
    }

    /** The exit code is 1, and one line with these words tells why. */
    void failsWithOneLine(String words, String... arguments) {
        assertEquals(1, run(arguments), () -> String.join(" ", arguments) + ": " + err);
        assertEquals(1, said().size(), this::err);
        assertTrue(err().contains(words), this::err);
    }
}
