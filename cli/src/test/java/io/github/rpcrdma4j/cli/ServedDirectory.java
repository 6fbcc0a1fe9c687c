package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.Authenticator;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;

/** A directory that a server in this process exports on loopback until it is closed. */
public final class ServedDirectory implements AutoCloseable {
    private final String host;
    private final NfsServer nfs;
    private final RpcRdmaServer server;

    private ServedDirectory(
            String host,
            NfsServer nfs,
            UnaryOperator<RpcProgram> wrapping,
            Collection<? extends Authenticator> authenticators)
            throws IOException {
        var programs = programs(nfs).stream().map(wrapping).toList();
        this.host = host;
        this.nfs = nfs;
        this.server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getByName(host), 0))
                        .dispatcher(new RpcDispatcher(programs, authenticators))
                        .start();
    }

    private static List<RpcProgram> programs(NfsServer nfs) {
        var programs = new ArrayList<>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        return programs;
    }

    /** Exports a directory as {@code /data}, for reading and writing. */
    public static ServedDirectory of(Path directory) throws IOException {
        return of(new Export("/data", directory, false));
    }

    /** Exports directories; the first should be named {@code /data}. */
    public static ServedDirectory of(Export... exports) throws IOException {
        var nfs = new NfsServer(List.of(exports), HandleKey.random());
        return new ServedDirectory("127.0.0.1", nfs, UnaryOperator.identity(), List.of());
    }

    /** Exports a directory as {@code /data}, by programs around those of the server. */
    public static ServedDirectory of(Path directory, UnaryOperator<RpcProgram> wrapping)
            throws IOException {
        return of(directory, wrapping, Nfs4Options.DEFAULT);
    }

    /** Exports a directory as the other method does, with options of version 4. */
    public static ServedDirectory of(
            Path directory, UnaryOperator<RpcProgram> wrapping, Nfs4Options options)
            throws IOException {
        var exports = List.of(new Export("/data", directory, false));
        var nfs = new NfsServer(exports, HandleKey.random(), KerberosUsers.NONE, options);
        return new ServedDirectory("127.0.0.1", nfs, wrapping, List.of());
    }

    /**
     * Exports directories to authenticated callers.
     *
     * @param host the name by which callers know the server
     * @param nfs owned by the returned object, which closes it
     */
    public static ServedDirectory of(
            String host, NfsServer nfs, Collection<? extends Authenticator> authenticators)
            throws IOException {
        return new ServedDirectory(host, nfs, UnaryOperator.identity(), authenticators);
    }

    /** Returns the URL of the server, without a path. */
    public String base() {
        return "rdma://" + host + ":" + server.address().getPort();
    }

    /** Returns the URL of the export {@code /data}. */
    public String url() {
        return base() + "/data";
    }

    public InetSocketAddress address() {
        return server.address();
    }

    public NfsServer nfs() {
        return nfs;
    }

    @Override
    public void close() {
        server.close();
        nfs.close();
        assertEquals(0, server.leasedMemory());
    }
}
