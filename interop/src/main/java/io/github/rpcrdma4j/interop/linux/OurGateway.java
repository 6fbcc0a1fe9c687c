package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command {@code rpcrdma gateway} in a process of its own. Its address stays the same over a
 * restart.
 */
final class OurGateway implements AutoCloseable {
    private final List<String> command;
    private final Path logs;
    private final String name;

    /** The traces of all processes, in their order. */
    private final List<Path> traces = new ArrayList<>();

    private ServingProcess process;

    /**
     * Starts to pass calls on.
     *
     * @param name the name of its log and its traces in the directory of the cell
     * @param listen where it listens, as a URL with a port that is not 0
     * @param to the server, as a URL
     */
    OurGateway(CellRun run, String name, String listen, String to)
            throws IOException, InterruptedException {
        this.name = name;
        logs = run.logs();
        command =
                new ArrayList<>(
                        List.of(
                                run.directories().launcher().toString(),
                                "gateway",
                                "--listen",
                                listen,
                                "--to",
                                to));
        if (!run.cell().crc()) {
            command.add("--no-crc");
        }
        start();
    }

    private void start() throws IOException, InterruptedException {
        var trace = logs.resolve("%s-%d.pcapng".formatted(name, traces.size() + 1));
        var traced = new ArrayList<>(command);
        traced.addAll(List.of("--trace", trace.toString()));
        process =
                ServingProcess.start(
                        traced, Map.of(), logs.resolve(name + ".log"), "Passing calls.", _ -> {});
        traces.add(trace);
    }

    /** Returns the name of its log and its traces. */
    String name() {
        return name;
    }

    /**
     * Returns the traces of its RDMA side, one for each process. That of a killed process has all
     * that the process received and sent.
     */
    List<Path> traces() {
        return List.copyOf(traces);
    }

    /**
     * Kills the process, which can answer nothing more, and starts another at its address.
     *
     * @param between runs while there is no process
     */
    void restart(Runnable between) throws IOException, InterruptedException {
        process.kill();
        between.run();
        start();
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
