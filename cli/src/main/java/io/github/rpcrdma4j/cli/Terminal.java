package io.github.rpcrdma4j.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether people look at what this process prints. */
final class Terminal {
    private static final Path OUTPUT = Path.of("/proc/self/fd/1");

    private Terminal() {}

    /** Whether standard output is a terminal. */
    static boolean isOutput() {
        try {
            var target = Files.readSymbolicLink(OUTPUT).toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException _) {
            // Another system than Linux tells only of input and output together.
            var console = System.console();
            return console != null && console.isTerminal();
        }
    }
}
