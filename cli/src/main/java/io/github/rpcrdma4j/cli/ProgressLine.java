package io.github.rpcrdma4j.cli;

import java.io.PrintWriter;

/**
 * The last line of a terminal, drawn again and again: what is printed meanwhile stands above it,
 * and in the end nothing is left of it. Thread-safe.
 */
final class ProgressLine implements AutoCloseable {
    private static final String ERASE = "\r\033[K";

    private final PrintWriter terminal;
    private boolean isDrawn;
    private boolean isClosed;

    ProgressLine(PrintWriter terminal) {
        this.terminal = terminal;
    }

    /** Draws the line in place of the one before; once it is closed, nothing. */
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
