package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The command {@code rpcrdma gateway} in a process of its own. */
final class OurGateway implements AutoCloseable {
    private final Path trace;
    private final ServingProcess process;

    /**
     * Starts to pass calls on.
     *
     * @param name the name of its log and its trace in the directory of the cell
     * @param listen where it listens, as a URL
     * @param to the server, as a URL
     */
    OurGateway(CellRun run, String name, String listen, String to)
            throws IOException, InterruptedException {
        var logs = run.logs();
        trace = logs.resolve(name + ".pcapng");
        var command =
                new ArrayList<>(
                        List.of(
                                run.directories().launcher().toString(),
                                "gateway",
                                "--listen",
                                listen,
                                "--to",
                                to,
                                "--trace",
                                trace.toString()));
        if (!run.cell().crc()) {
            command.add("--no-crc");
        }
        process =
                ServingProcess.start(
                        command, Map.of(), logs.resolve(name + ".log"), "Passing calls.", _ -> {});
    }

    /** Returns the trace of its RDMA side. */
    Path trace() {
        return trace;
    }

    /** Asks the process to end. Its trace is whole then. */
    void stop() {
        process.close();
    }

    @Override
    public void close() {
        stop();
    }
}
