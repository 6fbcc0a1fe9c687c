package io.github.rpcrdma4j.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Detects whether this process prints to a terminal. */
public final class Terminal {
    private static final Path INPUT = Path.of("/proc/self/fd/0");
    private static final Path OUTPUT = Path.of("/proc/self/fd/1");
    private static final Path ERROR = Path.of("/proc/self/fd/2");

    private Terminal() {}

    /** Returns whether standard input is a terminal. */
    public static boolean isInput() {
        return isTerminal(INPUT);
    }

    /** Returns whether standard output is a terminal. */
    public static boolean isOutput() {
        return isTerminal(OUTPUT);
    }

    /** Returns whether standard error is a terminal. */
    public static boolean isError() {
        return isTerminal(ERROR);
    }

    private static boolean isTerminal(Path descriptor) {
        try {
            var target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException _) {
            // Systems other than Linux report only on input and output together.
            var console = System.console();
            return console != null && console.isTerminal();
        }
    }
}
