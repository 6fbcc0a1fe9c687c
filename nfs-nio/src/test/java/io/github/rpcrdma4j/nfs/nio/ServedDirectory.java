package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A directory that a server of this process serves as {@code /data}. It can be made to hang. */
public final class ServedDirectory implements AutoCloseable {
    private final Path directory;
    private final Transport transport;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<CountDownLatch> hanging = new AtomicReference<>();
    private NfsServer nfs;
    private Runnable stopping;
    private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    public ServedDirectory(Path directory, Transport transport) throws Exception {
        this.directory = directory;
        this.transport = transport;
        start();
    }

    /** A program whose calls are counted, and wait while the server is to hang. */
    private record Watched(
            RpcProgram program, AtomicInteger calls, AtomicReference<CountDownLatch> hanging)
            implements ForwardingProgram {
        @Override
        public boolean isRepeatable(RpcRequest request) {
            return program.isRepeatable(request);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            calls.incrementAndGet();
            var until = hanging.get();
            if (until != null) {
                until.await();
            }
            return program.call(request, results);
        }
    }

    /** Starts the server again, at its address, after it was stopped. */
    void start() throws Exception {
        nfs = new NfsServer(List.of(new Export("/data", directory, false)), new byte[32]);
        var programs =
                nfs.programs().stream()
                        .<RpcProgram>map(each -> new Watched(each, calls, hanging))
                        .toList();
        switch (transport) {
            case RDMA -> {
                var rdma = RpcRdmaServer.builder().address(address).programs(programs).start();
                address = rdma.address();
                stopping = rdma::close;
            }
            case TCP -> {
                var tcp = TcpRpcServer.listen(address, programs, TcpRpcOptions.DEFAULT);
                address = tcp.address();
                stopping = tcp::close;
            }
        }
    }

    /** Ends the server, and starts another one at its address. */
    public void restart() throws Exception {
        stop();
        start();
    }

    /** Ends the server. */
    void stop() {
        stopping.run();
        nfs.close();
    }

    /** Returns how many calls the server was asked for. */
    public int calls() {
        return calls.get();
    }

    /** Lets no call end from now on. */
    public void hang() {
        hanging.set(new CountDownLatch(1));
    }

    /** Lets all calls end. */
    public void goOn() {
        var until = hanging.getAndSet(null);
        if (until != null) {
            until.countDown();
        }
    }

    public URI uri() {
        var scheme = ServerUri.scheme(transport);
        return URI.create(scheme + "://127.0.0.1:" + address.getPort() + "/data");
    }

    FileSystem open(NfsOptions options) throws IOException {
        return FileSystems.newFileSystem(uri(), options.environment());
    }

    FileSystem open() throws IOException {
        return open(NfsOptions.DEFAULT.withUmask(022));
    }

    @Override
    public void close() {
        goOn();
        stop();
    }
}
