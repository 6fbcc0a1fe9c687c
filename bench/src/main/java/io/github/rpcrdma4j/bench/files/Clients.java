package io.github.rpcrdma4j.bench.files;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Clients of one server, each with its own connection and user. */
final class Clients implements AutoCloseable {
    private static final int FIRST_ID = 1000;
    private static final int MEMORY_BYTES = 1 << 20;
    private static final double MICROS = TimeUnit.MICROSECONDS.toNanos(1);

    private final List<User> users = new ArrayList<>();

    /**
     * The clients of one user.
     *
     * @param connection the connection of {@code opens}
     */
    record User(Nfs3Client files, RpcClient connection, OpeningClient opens)
            implements AutoCloseable {
        @Override
        public void close() {
            files.close();
            connection.close();
        }
    }

    /** Connects one client for each identity. */
    static Clients connect(InetSocketAddress server, int identities)
            throws IOException, InterruptedException {
        var clients = new Clients();
        try {
            for (int i = 0; i < identities; i++) {
                clients.users.add(user(server, FIRST_ID + i));
            }
            return clients;
        } catch (IOException | InterruptedException | RuntimeException failure) {
            clients.close();
            throw failure;
        }
    }

    /** Connects as a user with a group of its own and three further groups. */
    private static User user(InetSocketAddress server, int id)
            throws IOException, InterruptedException {
        var user = new Credential.Sys(0, "bench", id, id, List.of(id, 100, 101, 102));
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(user)
                                .binding(Nfs3Binding.BINDING)
                                .connect(server);
        var connection = connector.connect();
        try {
            var opens = new OpeningClient(connection, "bench " + id);
            return new User(
                    new Nfs3Client(
                            connector,
                            connector,
                            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                            NfsVersion.VERSION_3),
                    connection,
                    opens);
        } catch (IOException | InterruptedException | RuntimeException failure) {
            connection.close();
            throw failure;
        }
    }

    Nfs3Client first() {
        return users.getFirst().files();
    }

    /**
     * Makes calls with all threads for {@code nanos} nanoseconds.
     *
     * @return the elapsed time divided by the calls of all threads, in microseconds
     */
    double measure(FileCall call, Callers callers, ServedFiles files, long nanos)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        long calls = 0;
        try (var threads = Executors.newFixedThreadPool(callers.threads())) {
            var ends = new ArrayList<Future<Long>>();
            for (int i = 0; i < callers.threads(); i++) {
                int thread = i;
                ends.add(threads.submit(() -> call(call, callers, files, thread, start + nanos)));
            }
            for (var end : ends) {
                calls += end.get();
            }
        } catch (ExecutionException failed) {
            throw new IOException(call + ": " + failed.getCause().getMessage(), failed);
        }
        return (System.nanoTime() - start) / MICROS / calls;
    }

    /** Makes the calls of one thread and returns their number. */
    private long call(FileCall call, Callers callers, ServedFiles files, int thread, long end)
            throws IOException, InterruptedException {
        try (var arena = Arena.ofConfined()) {
            var memory = arena.allocate(MEMORY_BYTES);
            long calls = 0;
            while (System.nanoTime() < end) {
                var user = users.get((int) ((thread + calls) % callers.identities()));
                call.make(user, files, calls * callers.threads() + thread, memory);
                calls++;
            }
            return calls;
        }
    }

    @Override
    public void close() {
        users.forEach(User::close);
    }
}
