package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.Relay;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.admin.Administration;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An NFS server over RDMA, behind a relay, with events before and after calls of version 4. It may
 * restart at its address.
 */
final class WatchedServer implements AutoCloseable {
    static final ClientOptions OPTIONS =
            ClientOptions.DEFAULT
                    .withVersion(NfsVersion.VERSION_4_2)
                    .withRetry(Duration.ofSeconds(30))
                    .withCaller(ProcessCredential.read());

    /**
     * Bytes of a compound of SEQUENCE alone, with an empty tag: the client renews its lease and
     * asks about a slot by it, at times of its own. RENEW of version 4.0 is shorter. The events of
     * the tests are not for it.
     */
    static final int SEQUENCE_ALONE = 48;

    /** What happens at a call of version 4, before its execution or after it. */
    interface Event {
        void run() throws Exception;
    }

    private final Path directory;
    private final Nfs4Options options;
    private final AtomicReference<Event> before = new AtomicReference<>(() -> {});
    private final AtomicReference<Event> after = new AtomicReference<>(() -> {});
    private final Relay relay;
    private NfsServer nfs;
    private RpcRdmaServer server;

    /**
     * Serves a directory as {@code /data}.
     *
     * @param records where the server keeps who may claim state after a restart; empty for nowhere
     */
    WatchedServer(Path directory, Optional<Path> records) throws IOException {
        // The grace period lasts longer than any test.
        this(directory, records, Duration.ofHours(1));
    }

    /**
     * Serves a directory likewise.
     *
     * @param grace how long clients may claim
     */
    WatchedServer(Path directory, Optional<Path> records, Duration grace) throws IOException {
        this(directory, new Nfs4Options(Duration.ofSeconds(10), grace, records, ""));
    }

    /** Serves a directory likewise. */
    WatchedServer(Path directory, Nfs4Options options) throws IOException {
        this.directory = directory;
        this.options = options;
        serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        this.relay = new Relay(server.address());
    }

    private void serve(InetSocketAddress address) throws IOException {
        nfs =
                new NfsServer(
                        List.of(new Export("/data", directory, false)),
                        new byte[32],
                        KerberosUsers.NONE,
                        options);
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(address)
                        .programs(nfs.programs().stream().map(this::watched).toList())
                        .start();
    }

    private RpcProgram watched(RpcProgram program) {
        return program.id().number() == NfsVersion.PROGRAM
                ? new WatchedProgram(program, before, after)
                : program;
    }

    private record WatchedProgram(
            RpcProgram program, AtomicReference<Event> before, AtomicReference<Event> after)
            implements ForwardingProgram {
        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (request.arguments().remaining() <= SEQUENCE_ALONE) {
                return program.call(request, results);
            }
            run(before);
            var status = program.call(request, results);
            run(after);
            return status;
        }

        private static void run(AtomicReference<Event> event) throws InterruptedException {
            try {
                event.getAndSet(() -> {}).run();
            } catch (InterruptedException interrupted) {
                throw interrupted;
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        }
    }

    /** Connects a client through the relay. */
    Nfs4Service connect() throws Exception {
        return connect(NfsVersion.VERSION_4_2);
    }

    /** Connects a client through the relay. */
    Nfs4Service connect(NfsVersion version) throws Exception {
        var connector =
                RpcRdmaClient.builder()
                        .provider(new IwarpProvider())
                        .credential(ProcessCredential.read())
                        .binding(version.binding())
                        .connector(relay.address());
        return Nfs4Service.connect(connector, OPTIONS.withVersion(version), version);
    }

    /** Sets what happens before the next call. */
    void before(Event event) {
        before.set(event);
    }

    /** Sets what happens after the next call, before its reply. */
    void after(Event event) {
        after.set(event);
    }

    /** Loses the connections, without a word to either side. */
    Relay relay() {
        return relay;
    }

    Administration administration() {
        return nfs.administration();
    }

    /** Ends, and begins anew at the same address. */
    void restart() throws IOException {
        server.close();
        nfs.close();
        serve(server.address());
    }

    @Override
    public void close() throws IOException {
        relay.close();
        server.close();
        nfs.close();
    }
}
