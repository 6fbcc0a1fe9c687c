package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** NFS-Ganesha, which serves a directory as {@code /export} over TCP. It needs root. */
final class Ganesha implements AutoCloseable {
    private final ServingProcess process;

    private Ganesha(ServingProcess process) {
        this.process = process;
    }

    /**
     * Starts to serve at the standard ports of this network.
     *
     * @param export the directory to serve
     * @param state the directory for its configuration, its log and its records of clients
     */
    static Ganesha start(RunDirectories directories, Path export, Path state)
            throws IOException, InterruptedException {
        var command =
                List.of(
                        directories.home().resolve("interop/ganesha").toString(),
                        export.toString(),
                        state.toString());
        return new Ganesha(
                ServingProcess.start(
                        command,
                        Map.of(),
                        state.resolveSibling("ganesha-output.log"),
                        "Serving",
                        _ -> {}));
    }

    @Override
    public void close() {
        try {
            // Its parent process ignores requests to end.
            process.kill();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
