package io.github.rpcrdma4j.nfs.server.host;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.host.HostRegistrations.Served;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.CallStatistics;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * An NFS server that runs: it takes calls over RDMA and, if it is to, over TCP, serves the locks of
 * versions 2 and 3, and is known to rpcbind. It serves what an {@link NfsServer} says, which the
 * caller makes first and closes last:
 *
 * <pre>{@code
 * try (var server = new NfsServer(List.of(new Export("/data", directory, false)), key);
 *         var host = NfsHost.of(server).rdma(RpcRdmaServer.builder().address(address)).start()) {
 *     host.await();
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class NfsHost implements AutoCloseable {
    private static final Logger LOG = System.getLogger(NfsHost.class.getName());

    private final NfsServer server;
    private final RpcDispatcher dispatcher;
    private final RpcRdmaServer rdma;
    private final Optional<TcpRpcServer> tcp;
    private final Optional<HostRegistrations> registrations;

    /** What ends the host, the last first. */
    private final List<Runnable> closing;

    private final CompletableFuture<Throwable> failed = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    private NfsHost(
            NfsServer server,
            RpcDispatcher dispatcher,
            RpcRdmaServer rdma,
            Optional<TcpRpcServer> tcp,
            Optional<HostRegistrations> registrations,
            List<Runnable> closing) {
        this.server = server;
        this.dispatcher = dispatcher;
        this.rdma = rdma;
        this.tcp = tcp;
        this.registrations = registrations;
        this.closing = closing;
        rdma.failure().thenAccept(failed::complete);
        tcp.ifPresent(each -> each.failure().thenAccept(failed::complete));
        failed.thenRun(ended::countDown);
    }

    /**
     * Returns a builder of a host.
     *
     * @param server what it serves; the caller closes it after the host
     */
    public static NfsHostBuilder of(NfsServer server) {
        return new NfsHostBuilder(server);
    }

    static NfsHost start(NfsHostBuilder builder) throws ListenException, InterruptedException {
        var programs = new ArrayList<>(builder.programs());
        if (!builder.tcp.isEmpty()) {
            programs.addAll(builder.lockPrograms());
        }
        var dispatcher = new RpcDispatcher(programs, builder.authenticators);
        var closing = new ArrayList<Runnable>();
        boolean isStarted = false;
        try {
            var host = start(builder, dispatcher, closing);
            isStarted = true;
            return host;
        } finally {
            if (!isStarted) {
                close(closing);
            }
        }
    }

    private static NfsHost start(
            NfsHostBuilder builder, RpcDispatcher dispatcher, List<Runnable> closing)
            throws ListenException, InterruptedException {
        var rdma = at(Transport.RDMA, builder.rdma.dispatcher(dispatcher)::start);
        closing.add(rdma::close);
        Optional<TcpRpcServer> tcp =
                builder.tcp.isEmpty()
                        ? Optional.empty()
                        : Optional.of(at(Transport.TCP, () -> listenTcp(builder, dispatcher)));
        tcp.ifPresent(each -> closing.add(each::close));
        Consumer<String> warnings = line -> warn(builder, line);
        var monitors = monitors(builder, tcp, warnings);
        monitors.ifPresent(each -> closing.add(each::close));
        var registrations =
                builder.rpcbind.map(each -> new HostRegistrations(each, builder.notices, warnings));
        registrations.ifPresent(each -> closing.add(each::close));
        if (registrations.isPresent()) {
            registrations.get().add(served(builder, rdma, tcp, monitors));
        }
        var host = new NfsHost(builder.server, dispatcher, rdma, tcp, registrations, closing);
        if (host.hasLocks()) {
            builder.server.tellHosts();
        }
        return host;
    }

    private static TcpRpcServer listenTcp(NfsHostBuilder builder, RpcDispatcher dispatcher)
            throws IOException {
        return TcpRpcServer.listen(builder.tcp, dispatcher, TcpRpcOptions.DEFAULT);
    }

    private interface Listening<T> {
        T start() throws IOException;
    }

    private static <T> T at(Transport transport, Listening<T> listening) throws ListenException {
        try {
            return listening.start();
        } catch (IOException refused) {
            throw new ListenException(transport, refused);
        }
    }

    /** Any user of this machine may have chosen a part of the words, by a registration. */
    private static void warn(NfsHostBuilder builder, String words) {
        var line = PathName.of(words).escaped();
        LOG.log(Level.WARNING, line);
        builder.notices.accept(line);
    }

    /**
     * Lets clients tell over UDP that they have restarted, at the addresses of TCP; Linux does so.
     * Goes on without if that fails.
     */
    private static Optional<UdpListeners> monitors(
            NfsHostBuilder builder, Optional<TcpRpcServer> tcp, Consumer<String> warnings) {
        if (tcp.isEmpty() || builder.rpcbind.isEmpty() || builder.lockPrograms().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    UdpListeners.listen(
                            tcp.get().addresses(), List.of(builder.server.statusMonitor())));
        } catch (IOException refused) {
            warnings.accept(
                    refused.getMessage()
                            + " over UDP; clients of version 3 keep their locks when they restart");
            return Optional.empty();
        }
    }

    /** Returns what clients ask rpcbind for (RFC 8267-4.2-1, 8267-4.2-2). */
    private static Served served(
            NfsHostBuilder builder,
            RpcRdmaServer rdma,
            Optional<TcpRpcServer> tcp,
            Optional<UdpListeners> monitors) {
        return new Served(
                ids(builder.programs()),
                ids(builder.lockPrograms()),
                HostRegistrations.widestFirst(rdma.addresses()),
                HostRegistrations.widestFirst(addresses(tcp)),
                HostRegistrations.widestFirst(
                        monitors.map(UdpListeners::addresses).orElse(List.of())));
    }

    private static List<ProgramId> ids(List<RpcProgram> programs) {
        return programs.stream().map(RpcProgram::id).toList();
    }

    private static List<InetSocketAddress> addresses(Optional<TcpRpcServer> tcp) {
        return tcp.map(TcpRpcServer::addresses).orElse(List.of());
    }

    /** Returns what the host serves. */
    public NfsServer server() {
        return server;
    }

    /** Returns the server over RDMA; closing it is up to the host. */
    public RpcRdmaServer rdma() {
        return rdma;
    }

    /** Returns the server over TCP; closing it is up to the host. */
    public Optional<TcpRpcServer> tcp() {
        return tcp;
    }

    /** Returns where the host listens for RDMA, with the actual ports. */
    public List<InetSocketAddress> rdmaAddresses() {
        return rdma.addresses();
    }

    /** Returns where it listens over TCP, with the actual ports; none if it does not. */
    public List<InetSocketAddress> tcpAddresses() {
        return addresses(tcp);
    }

    /** Returns the live counters of the calls of all transports. */
    public CallStatistics calls() {
        return dispatcher.statistics();
    }

    /** Returns whether clients find the programs for locks of versions 2 and 3. */
    public boolean hasLocks() {
        return registrations.map(HostRegistrations::hasLocks).orElse(false);
    }

    /**
     * Returns a stage that completes with the reason if a transport cannot go on: it serves its
     * connections, and may take no others. It does not complete when the host is closed.
     */
    public CompletionStage<Throwable> failure() {
        return failed.minimalCompletionStage();
    }

    /**
     * Waits until the host is closed or has failed. Its threads do not keep the process from
     * ending, so a {@code main} method waits here.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void await() throws InterruptedException {
        ended.await();
    }

    /**
     * Takes the host out of rpcbind, ends all connections, and interrupts the calls in progress.
     * The server stays open. Closing again does nothing.
     */
    @Override
    public void close() {
        ended.countDown();
        synchronized (closing) {
            close(closing);
            closing.clear();
        }
    }

    /** Closes all, the last first, also if one of them fails. */
    private static void close(List<Runnable> closing) {
        RuntimeException failed = null;
        for (var each : closing.reversed()) {
            try {
                each.run();
            } catch (RuntimeException failure) {
                failed = failure;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}
