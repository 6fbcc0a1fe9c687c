package io.github.rpcrdma4j.cli.terminal;

import java.io.PrintWriter;

/**
 * The bottom line of a terminal, redrawn in place. Other output appears above it, and closing
 * erases it. Thread-safe.
 */
final class ProgressLine implements AutoCloseable {
    private static final String ERASE = "\r\033[K";

    private final PrintWriter terminal;
    private boolean isDrawn;
    private boolean isClosed;

    ProgressLine(PrintWriter terminal) {
        this.terminal = terminal;
    }

    /** Redraws the line; has no effect once the line is closed. */
    synchronized void draw(String line) {
        if (!isClosed) {
            terminal.print(ERASE + line);
            terminal.flush();
            isDrawn = true;
        }
    }

    /** Prints a line that stays. */
    synchronized void println(String line) {
        erase();
        terminal.println(line);
    }

    /** Prints a question, whose answer the user types behind it. */
    synchronized void ask(String question) {
        erase();
        terminal.print(question);
        terminal.flush();
    }

    private void erase() {
        if (isDrawn) {
            terminal.print(ERASE);
            terminal.flush();
            isDrawn = false;
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        erase();
    }
}
