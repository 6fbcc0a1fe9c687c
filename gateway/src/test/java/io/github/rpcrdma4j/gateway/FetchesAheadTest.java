package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.gateway.CompoundFiles.compound;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.raw.Compound;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.testing.Eventually;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a gateway fetches data of WRITEs no faster than its server takes them. */
class FetchesAheadTest {
    private static final int MIB = 1 << 20;

    /** A few less than the credits of the client, so that all arrive at the gateway. */
    private static final int WRITES = 60;

    private static final long AHEAD = GatewayLimits.BYTES_AHEAD / MIB;

    /** The most MiB that lie between two sockets: Linux gives no more to the one that sends. */
    private static final int SOCKET_MIB = 8;

    private static final int RECEIVE_BYTES = 64 << 10;
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final IwarpProvider provider = new IwarpProvider();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private RpcRdmaServer gateway;
    private RpcRdmaClient client;

    private void serve(Upstream upstream) throws Exception {
        gateway =
                GatewayLimits.DEFAULT
                        .rdmaSettings(RpcRdmaServer.builder())
                        .provider(provider)
                        .address(ANY)
                        .calls(new Gateway(upstream, GatewayLimits.DEFAULT))
                        .start();
        client =
                RpcRdmaClient.builder()
                        .provider(provider)
                        .binding(Nfs4Binding.BINDING)
                        .connect(gateway.address());
    }

    @AfterEach
    void everythingIsGivenBack() {
        client.close();
        gateway.close();
        threads.close();
        LeasedMemory.requireNone(gateway::leasedMemory);
    }

    private static RpcCall write(MemorySegment data) {
        int write = 38;
        return compound(
                1,
                List.of(
                        out ->
                                out.uint32(write)
                                        .fixedOpaque(new byte[16])
                                        .uint64(0)
                                        .uint32(0)
                                        .bulk(data)));
    }

    private List<Future<?>> startWrites() {
        var data = CompoundFiles.data(1, MIB);
        var started = new ArrayList<Future<?>>();
        for (int i = 0; i < WRITES; i++) {
            started.add(
                    threads.submit(
                            () -> {
                                client.call(write(data), DEADLINE).close();
                                return null;
                            }));
        }
        return started;
    }

    private static void succeed(List<Future<?>> calls) throws Exception {
        for (var each : calls) {
            each.get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private long count(Counter counter) {
        return gateway.statistics().value(counter);
    }

    private void requireFetched(long most) {
        long fetched = count(Counter.READ_CHUNK_BYTES) / MIB;
        assertTrue(fetched <= most, fetched + " MiB, at most " + most);
    }

    @Test
    void aServerWithoutCreditsLeavesTheDataAtTheClient() throws Exception {
        var files = new CompoundFiles();
        try (var server =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(ANY)
                        .credits(1)
                        .program(files)
                        .start()) {
            serve(
                    new RdmaUpstream(
                            server.address(), () -> RpcRdmaClient.builder().provider(provider)));
            client.call(write(CompoundFiles.data(2, MIB)), DEADLINE).close();
            files.mayEnd.drainPermits();
            var writes = startWrites();
            Eventually.await(DEADLINE, () -> count(Counter.CALLS) == 1 + WRITES);
            for (int ended = 0; ended < WRITES; ended++) {
                int begun = 1 + ended + 1;
                Eventually.await(DEADLINE, () -> files.calls() == begun);
                Eventually.await(
                        DEADLINE,
                        () ->
                                count(Counter.READ_CHUNK_BYTES) / MIB
                                        >= Math.min(begun + AHEAD, 1 + WRITES));
                requireFetched(begun + AHEAD);
                files.mayEnd.release();
            }
            succeed(writes);
        }
    }

    @Test
    void aServerThatDoesNotReadLeavesTheDataAtTheClient() throws Exception {
        try (var listener = new ServerSocket()) {
            listener.setReceiveBufferSize(RECEIVE_BYTES);
            listener.bind(ANY, 1);
            serve(
                    new TcpUpstream(
                            new InetSocketAddress(
                                    listener.getInetAddress(), listener.getLocalPort()),
                            DEADLINE,
                            GatewayLimits.DEFAULT));
            var first =
                    threads.submit(() -> client.call(write(CompoundFiles.data(2, MIB)), DEADLINE));
            try (var server = new RecordSocket(listener.accept())) {
                answerNext(server);
                first.get().close();
                var writes = startWrites();
                Eventually.await(DEADLINE, () -> count(Counter.CALLS) == 1 + WRITES);
                for (int i = 1; i <= WRITES; i++) {
                    requireFetched(i + SOCKET_MIB + AHEAD);
                    answerNext(server);
                }
                succeed(writes);
            }
        }
    }

    private static void answerNext(RecordSocket server) throws Exception {
        int xid = server.receive().at(0);
        server.send(Words.of(xid).and(Compound.reply(Compound.OK, Compound.wasWritten(MIB))));
    }
}
