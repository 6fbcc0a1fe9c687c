package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a call needs no thread of the gateway while its server carries it out. Method: the test is
 * the server.
 */
class BegunPassTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int XID = 0x0a0b_0c0d;

    private static final PassedCalls.Rules RULES =
            new PassedCalls.Rules(_ -> true, UpstreamXids.SAME, GatewayLimits.DEFAULT);
    private static final long HELD = GatewayLimits.DEFAULT.replyBytesMax();

    /** More calls of 1 MiB than sockets buffer. */
    private static final int STALLED_CALLS = 24;

    /** Calls without data that would begin if the server read. */
    private static final int SHORT_CALLS = 8;

    private static final int PINGS = 100;

    private static final CallHeader HEADER =
            new CallHeader(
                    XID,
                    CallHeader.RPC_VERSION,
                    PatternProgram.PROGRAM,
                    1,
                    PatternProgram.FETCH,
                    RawAuth.NONE,
                    RawAuth.NONE);

    /** More calls than a test makes. */
    private static final int CALLS = 100;

    private final CallRoom room = new CallRoom(CALLS, HELD);
    private final CallRoom.Share share =
            room.share(ClientAddress.of(new InetSocketAddress("192.0.2.1", 700)));
    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final LinkedBlockingQueue<String> closed = new LinkedBlockingQueue<>();
    private ServerSocket listener;
    private InetSocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        listener = new ServerSocket(0, 10, ANY.getAddress());
        address = (InetSocketAddress) listener.getLocalSocketAddress();
    }

    @AfterEach
    void everythingIsGivenBack() throws Exception {
        listener.close();
        assertEquals(0, room.calls());
        assertEquals(0, pool.leased());
    }

    /** A handler with a connection to the server of the test, and the end of its only call. */
    private final class Passing implements AutoCloseable {
        final TcpRpcClient target = TcpRpcClient.connect(address, new Credential.None(), TIMEOUT);
        final RecordSocket server = new RecordSocket(listener.accept());
        final PassedCalls calls = new PassedCalls(target, RULES, share, closed::add);
        final XdrWriter reply = new XdrWriter(pool);
        final CompletableFuture<Boolean> isAnswered = new CompletableFuture<>();

        Passing() throws Exception {}

        boolean begin() {
            assertTrue(calls.mayBegin(HEADER));
            var call = new XdrReader(MemorySegment.ofArray(new byte[] {0, 0, 0, 4}));
            boolean isBegun = calls.begin(HEADER, call, address, pool, reply, isAnswered::complete);
            assertEquals(Integer.BYTES, call.remaining());
            return isBegun;
        }

        boolean isAnswered() throws Exception {
            return isAnswered.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }

        @Override
        public void close() throws IOException {
            reply.close();
            target.close();
            server.close();
        }
    }

    private static Words call() {
        return Words.of(XID, 0, 2, PatternProgram.PROGRAM, 1, PatternProgram.FETCH)
                .word(0, 0, 0, 0, 4);
    }

    private static Words bytesOf(XdrWriter reply) {
        reply.inlineBulkItems();
        return new Words(
                reply.memory().asSlice(0, reply.position()).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void theReplyIsWrittenWithoutTheThreadThatBegan() throws Exception {
        try (var passing = new Passing()) {
            assertTrue(passing.begin());
            call().requireSame(passing.server.receive());
            assertFalse(passing.isAnswered.isDone());
            assertEquals(1, room.calls());
            var answer = Words.of(XID, 1, 0, 0, 0, 0, 4, 77);
            passing.server.send(answer);
            assertTrue(passing.isAnswered());
            answer.requireSame(bytesOf(passing.reply));
        }
    }

    @Test
    void aCallThatIsSentAgainDoesNotBeginAgain() throws Exception {
        try (var passing = new Passing()) {
            assertTrue(passing.begin());
            assertFalse(passing.begin());
            passing.server.receive();
            passing.server.send(Words.of(XID, 1, 0, 0, 0, 0));
            assertTrue(passing.isAnswered());
        }
    }

    @Test
    void aLostReplyEndsTheConnectionOfTheClient() throws Exception {
        try (var passing = new Passing()) {
            assertTrue(passing.begin());
            passing.server.receive();
            passing.server.close();
            assertFalse(passing.isAnswered());
            assertTrue(closed.remove().contains("was lost"));
            assertEquals(0, passing.reply.position());
        }
    }

    @Test
    void aCallWithoutRoomDoesNotBegin() throws Exception {
        try (var passing = new Passing()) {
            // By bytes alone: half of the room is the most that one client gets.
            assertTrue(share.tryTake(HELD));
            assertFalse(share.tryTake(1));
            assertTrue(share.tryTake(0));
            share.give(0);
            assertFalse(passing.begin());
            share.give(HELD);
            assertTrue(passing.begin());
            passing.server.receive();
            passing.server.send(Words.of(XID, 1, 0, 0, 0, 0));
            assertTrue(passing.isAnswered());
            share.end();
            assertFalse(share.tryTake(1));
        }
    }

    private static RpcRdmaServer rdmaServer(IwarpProvider provider) throws IOException {
        return RpcRdmaServer.builder()
                .provider(provider)
                .address(ANY)
                .program(new PatternProgram(1, 1))
                .start();
    }

    /** Goal: without a thread that listens, a call to a server on RDMA is not prepared in vain. */
    @Test
    void noCallMayBeginTowardsRdmaWithoutCallsBack() throws Exception {
        var provider = new IwarpProvider();
        try (var server = rdmaServer(provider);
                var target = RpcRdmaClient.builder().provider(provider).connect(server.address())) {
            var calls = new PassedCalls(target, RULES, share, closed::add);
            assertFalse(calls.mayBegin(HEADER));
        }
    }

    @Test
    void aCallBeginsTowardsRdma() throws Exception {
        var provider = new IwarpProvider();
        var isAnswered = new CompletableFuture<Boolean>();
        try (var server = rdmaServer(provider);
                var target =
                        RpcRdmaClient.builder()
                                .provider(provider)
                                .callBacks(new RpcDispatcher(List.of()))
                                .connect(server.address());
                var reply = new XdrWriter(pool)) {
            var calls = new PassedCalls(target, RULES, share, closed::add);
            var call = new XdrReader(MemorySegment.ofArray(new byte[] {0, 0, 0, 4}));
            assertTrue(calls.mayBegin(HEADER));
            // The thread that listens has the lock of the connection for a moment.
            Eventually.await(
                    () -> calls.begin(HEADER, call, address, pool, reply, isAnswered::complete));
            assertTrue(isAnswered.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
            Words.of(XID, 1, 0, 0, 0, 0, 4, 0x0404_0404).requireSame(bytesOf(reply));
        }
    }

    /** Goal: a server that does not read stops no thread that serves other clients. */
    @Test
    void aStalledServerDelaysNoOtherClient() throws Exception {
        var provider = new IwarpProvider();
        try (var gateway =
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .address(ANY)
                                .pollers(1)
                                .calls(
                                        ReadableGateway.of(
                                                new TcpUpstream(
                                                        address, TIMEOUT, GatewayLimits.DEFAULT),
                                                GatewayLimits.DEFAULT,
                                                PatternProgram.PROGRAM))
                                .start();
                var stalled =
                        RpcRdmaClient.builder().provider(provider).connect(gateway.address())) {
            var data = MemorySegment.ofArray(new byte[1 << 20]);
            var calls = new ArrayList<CompletableFuture<Long>>();
            for (int i = 0; i < STALLED_CALLS; i++) {
                calls.add(
                        stalled.callAsync(PatternProgram.store(data), TIMEOUT, XdrReader::uint64));
            }
            try (var deaf = listener.accept()) {
                assertTrue(deaf.getInputStream().read() >= 0);
                for (int i = 0; i < SHORT_CALLS; i++) {
                    calls.add(
                            stalled.callAsync(
                                    PatternProgram.nullCall(), TIMEOUT, XdrReader::remaining));
                }
                answersPings(provider, gateway);
                assertTrue(calls.stream().noneMatch(CompletableFuture::isDone));
                deaf.shutdownOutput();
                assertEquals(List.of(), calls.stream().filter(each -> !hasFailed(each)).toList());
            }
        }
    }

    /** Makes calls of another client, which a server on a connection of its own answers. */
    private void answersPings(IwarpProvider provider, RpcRdmaServer gateway) throws Exception {
        try (var other = RpcRdmaClient.builder().provider(provider).connect(gateway.address())) {
            var ping = ping(other);
            try (var server = new RecordSocket(listener.accept())) {
                for (int i = 0; i < PINGS; i++) {
                    if (i > 0) {
                        ping = ping(other);
                    }
                    int xid = server.receive().at(0);
                    server.send(Words.of(xid, 1, 0, 0, 0, 0));
                    assertEquals(0, ping.get());
                }
            }
        }
    }

    private static CompletableFuture<Long> ping(RpcRdmaClient client) {
        return client.callAsync(PatternProgram.nullCall(), TIMEOUT, XdrReader::remaining);
    }

    private static boolean hasFailed(CompletableFuture<Long> call) {
        return call.handle((_, failure) -> failure != null).join();
    }
}
