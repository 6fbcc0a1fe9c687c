package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The connections to a server for version 3, one for each caller, opened at the caller's first
 * call. For use by one thread.
 */
final class Connections implements AutoCloseable {
    /** The timeout of a call, much longer than any call takes. A server that exceeds it hangs. */
    static final Duration TIMEOUT = Duration.ofSeconds(8);

    /** The timeout of the first calls, which a newly started server may answer slowly. */
    private static final Duration FIRST_TIMEOUT = Duration.ofSeconds(120);

    private final TableServer server;
    private final Map<Caller, Nfs3Client> clients = new HashMap<>();
    private final Nfs3Client finder;
    private final MemorySegment bulk = Arena.ofAuto().allocate(Nfs3.PATH_MAX);

    /**
     * @throws RpcException if the server cannot be reached
     */
    Connections(TableServer server) throws RpcException, InterruptedException {
        this.server = server;
        finder = connect(Caller.ROOT, FIRST_TIMEOUT);
    }

    private Nfs3Client connect(Caller caller, Duration timeout)
            throws RpcException, InterruptedException {
        return new Nfs3Client(
                connector(server.nfs(), caller),
                connector(server.mount(), caller),
                ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3).withTimeout(timeout),
                NfsVersion.VERSION_3);
    }

    private Nfs3Client client(Caller caller) throws RpcException, InterruptedException {
        var client = clients.get(caller);
        if (client == null) {
            client = connect(caller, TIMEOUT);
            clients.put(caller, client);
        }
        return client;
    }

    private static Connector connector(InetSocketAddress address, Caller caller) {
        return () -> TcpRpcClient.connect(address, caller.credential(), TIMEOUT);
    }

    /** Mounts an export and returns the file handle of its root. */
    FileHandle mount(Exported exported) throws IOException, InterruptedException {
        return finder.mount(server.export(exported));
    }

    /** Looks up a file in a directory, as root. */
    FileHandle lookup(FileHandle directory, String name) throws IOException, InterruptedException {
        return finder.call(new Nfs3Call.Lookup(new Nfs3Call.DirOpArgs(directory, name))).handle();
    }

    /**
     * Makes a call.
     *
     * @return the status and the essential results, in words
     * @throws InterruptedException if the thread is interrupted
     */
    String call(Caller caller, Nfs3Call<?, ?> call) throws InterruptedException {
        try {
            return "OK " + succeed(client(caller), call);
        } catch (NfsException refused) {
            return refused.status().name();
        } catch (RpcException failed) {
            return "RPC " + failed.getClass().getSimpleName();
        } catch (IOException broken) {
            return "BROKEN " + broken.getMessage();
        }
    }

    /**
     * Makes a call that has no bulk results.
     *
     * @throws NfsException if the server refuses
     */
    <A, T> T make(Caller caller, Nfs3Call<A, T> call) throws IOException, InterruptedException {
        return client(caller).call(call);
    }

    private <A, T> String succeed(Nfs3Client client, Nfs3Call<A, T> call)
            throws IOException, InterruptedException {
        List<MemorySegment> targets =
                call instanceof Nfs3Call.Read || call instanceof Nfs3Call.ReadLink
                        ? List.of(bulk)
                        : List.of();
        return client.call(call, targets, (_, value) -> ResultWords.of(value));
    }

    @Override
    public void close() {
        clients.values().forEach(Nfs3Client::close);
        finder.close();
    }
}
