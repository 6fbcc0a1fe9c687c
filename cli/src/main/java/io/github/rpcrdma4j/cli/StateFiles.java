package io.github.rpcrdma4j.cli;

import java.nio.file.Path;

/** Where servers of a user keep what outlives them. */
final class StateFiles {
    private StateFiles() {}

    /**
     * Returns the directory: {@code $XDG_STATE_HOME/rpcrdma4j}, or {@code
     * ~/.local/state/rpcrdma4j}. It need not exist.
     */
    static Path directory() {
        var state = System.getenv("XDG_STATE_HOME");
        var directory =
                state == null || state.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".local", "state")
                        : Path.of(state);
        return directory.resolve("rpcrdma4j");
    }
}
