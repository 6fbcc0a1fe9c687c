package io.github.rpcrdma4j.bench.worker;

import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.stack.Meter;
import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The client and the server process of one stack. Each stack has its own processes. So no process
 * runs code that the JIT compiler optimized for another stack, and results do not depend on the
 * other stacks of a run.
 */
public final class Pair implements AutoCloseable {
    /** A file system in memory, so that copied files cost no disk writes. */
    private static final Path IN_MEMORY = Path.of("/dev/shm");

    /** The results of one round, and the resources that each side used meanwhile. */
    public record Observed(Meter.Round round, Usage client, Usage server) {}

    private final Stack stack;
    private final Path directory;
    private final WorkerProcess server;
    private final WorkerProcess client;
    private final Map<Setting, Integer> ports = new HashMap<>();

    private Pair(Stack stack, Path directory, WorkerProcess server, WorkerProcess client) {
        this.stack = stack;
        this.directory = directory;
        this.server = server;
        this.client = client;
    }

    /** Starts both processes. */
    public static Pair start(Stack stack, List<String> javaOptions) throws IOException {
        var parent =
                Files.isWritable(IN_MEMORY)
                        ? IN_MEMORY
                        : Path.of(System.getProperty("java.io.tmpdir"));
        var directory = Files.createTempDirectory(parent, "rpcrdma4j-bench-");
        var server = WorkerProcess.start(side(directory, "server"), javaOptions);
        try {
            return new Pair(
                    stack,
                    directory,
                    server,
                    WorkerProcess.start(side(directory, "client"), javaOptions));
        } catch (IOException failure) {
            server.close();
            throw failure;
        }
    }

    private static Path side(Path directory, String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }

    public Stack stack() {
        return stack;
    }

    public WorkerProcess client() {
        return client;
    }

    public WorkerProcess server() {
        return server;
    }

    /**
     * Returns the port of a service with a setting, and starts the service at the first request.
     */
    public int port(Setting setting) throws IOException {
        var known = ports.get(setting);
        if (known == null) {
            known = server.number(new Order.Serve(stack, setting));
            ports.put(setting, known);
        }
        return known;
    }

    /** Opens connections and returns the number of their session, for use in orders. */
    public int connect(Setting setting, int connections) throws IOException {
        return client.number(new Order.Connect(stack, setting, port(setting), connections));
    }

    /** Makes calls for {@code nanos} nanoseconds and returns the results. */
    public Meter.Round run(int session, Work work, int outstanding, long nanos) throws IOException {
        return client.measure(new Order.Run(session, work, outstanding, nanos));
    }

    /**
     * Carries out an order at the client and returns its results, with the resources that both
     * sides used.
     */
    public Observed observe(Order order) throws IOException {
        var serverBefore = server.usage();
        var clientBefore = client.usage();
        var round = client.measure(order);
        return new Observed(
                round, client.usage().since(clientBefore), server.usage().since(serverBefore));
    }

    /** Ends both processes and removes their files. */
    @Override
    public void close() throws IOException {
        client.close();
        server.close();
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(Pair::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
