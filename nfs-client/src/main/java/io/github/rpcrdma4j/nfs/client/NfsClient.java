package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpConnector;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Connects to NFS servers, over any transport.
 *
 * <p>Tests: {@code NfsFilesTest}, {@code NfsConnectorTest}.
 */
public final class NfsClient {
    /**
     * The longest reply of NFS over TCP that a client should take, in bytes: the longest data that
     * it asks for, and room for what is beside them. A server that sends more does not decide how
     * much memory that takes.
     */
    public static final long REPLY_BYTES_MAX = 2L << 20;

    private NfsClient() {}

    /**
     * Connects to the server of a URL, over its transport. For version 3, MOUNT is called over the
     * same transport; over TCP, also where the rpcbind of the server says.
     *
     * @param options without a caller, it is the user of this process
     * @return the files of the server, to be closed by the caller
     * @throws IOException if the server cannot be reached, or refuses
     */
    public static FileService connect(NfsUrl url, ClientOptions options)
            throws IOException, InterruptedException {
        return connector(url, options).connect();
    }

    /**
     * Connects to the server of a URL, as {@link #connect(NfsUrl, ClientOptions)} does, but calls
     * MOUNT over TCP, as the server of a Linux kernel requires for versions 2 and 3.
     *
     * @param mount the address of the MOUNT service; its port is usually 20048
     */
    public static FileService connect(NfsUrl url, InetSocketAddress mount, ClientOptions options)
            throws IOException, InterruptedException {
        return connector(url, mount, options).connect();
    }

    /** Mounts the export that holds the path of a URL, over its transport. */
    static NfsMount mount(NfsUrl url, ClientOptions options)
            throws IOException, InterruptedException {
        return connector(url, options).mount(url.path(), _ -> {});
    }

    /** Mounts an export likewise, but calls MOUNT over TCP. */
    static NfsMount mount(NfsUrl url, InetSocketAddress mount, ClientOptions options)
            throws IOException, InterruptedException {
        return connector(url, mount, options).mount(url.path(), _ -> {});
    }

    private static NfsConnector connector(NfsUrl url, ClientOptions options) {
        var own = withCaller(options);
        return switch (url.transport()) {
            case RDMA -> {
                var overRdma = overRdma(url, own);
                yield new NfsConnector(overRdma, overRdma, own);
            }
            case TCP -> {
                var overTcp = nfsOverTcp(url.address(), own);
                var mount = new MountConnector(overTcp, own.mountVersion(), tcpOptions(own));
                yield new NfsConnector(overTcp, mount, own);
            }
        };
    }

    private static NfsConnector connector(
            NfsUrl url, InetSocketAddress mount, ClientOptions options) {
        var own = withCaller(options);
        Connector nfs =
                switch (url.transport()) {
                    case RDMA -> overRdma(url, own);
                    case TCP -> nfsOverTcp(url.address(), own);
                };
        return new NfsConnector(nfs, new TcpConnector(mount, own.caller(), tcpOptions(own)), own);
    }

    private static TcpConnector nfsOverTcp(InetSocketAddress server, ClientOptions options) {
        return new TcpConnector(
                server, options.caller(), tcpOptions(options).withRecordMax(REPLY_BYTES_MAX));
    }

    private static TcpClientOptions tcpOptions(ClientOptions options) {
        return TcpClientOptions.within(options.timeout());
    }

    /** Without a caller in the options it is the user of this process. */
    private static ClientOptions withCaller(ClientOptions options) {
        return options.caller() instanceof Credential.None
                ? options.withCaller(ProcessCredential.read())
                : options;
    }

    private static Connector overRdma(NfsUrl url, ClientOptions options) {
        return RpcRdmaClient.builder()
                .credential(options.caller())
                .bindings(options.bindings())
                .connectTimeout(options.timeout())
                .connector(new InetSocketAddress(url.host(), url.port()));
    }

    /**
     * Connects to a server, by the first of some versions that it has. Each that it does not have
     * costs a refused call; who connects several times makes one {@link NfsConnector}.
     *
     * @param nfs connects to the NFS service
     * @param mount connects to the MOUNT service; the same object if one connection serves both.
     *     Version 4 does not use it.
     * @param options the versions among them, and how long a lost connection is tried again
     * @return the files of the server, to be closed by the caller
     * @throws IOException if a service cannot be reached, or refuses; as of the last version
     */
    public static FileService connect(Connector nfs, Connector mount, ClientOptions options)
            throws IOException, InterruptedException {
        return new NfsConnector(nfs, mount, options).connect();
    }
}
