package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallEnd;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a server needs no thread for a call that its handler has begun. Method: the test answers
 * the calls, on its own thread.
 */
@Timeout(60)
class BegunCallsOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int PROGRAM = 0x2000_0058;

    /** The procedure whose calls begin; those of others are dispatched. */
    private static final int BEGINS = 1;

    private static final int DISPATCHED = 2;

    private final RdmaProvider provider = new IwarpProvider();
    private final Later handler = new Later();
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    /** A begun call. */
    private record Begun(
            CallHeader header,
            XdrWriter reply,
            CallEnd end,
            Thread thread,
            AtomicBoolean hasEnded) {
        void answer(int result) {
            writeReply(header, reply, result);
            end(true);
        }

        void end(boolean isAnswered) {
            if (!hasEnded.getAndSet(true)) {
                end.ended(isAnswered);
            }
        }
    }

    private static void writeReply(CallHeader header, XdrWriter reply, int... results) {
        reply.uint32(header.xid()).uint32(ReplyHeader.REPLY);
        // Accepted, an empty verifier, success.
        reply.uint32(0).uint32(0).uint32(0).uint32(0);
        for (int result : results) {
            reply.uint32(result);
        }
    }

    private static final class Later implements CallHandler {
        final List<Begun> all = new CopyOnWriteArrayList<>();
        final LinkedBlockingQueue<Begun> begun = new LinkedBlockingQueue<>();
        final AtomicInteger dispatched = new AtomicInteger();
        volatile boolean isBusy;

        @Override
        public boolean runsOnReader(CallHeader call) {
            return call.procedure() == 0;
        }

        @Override
        public boolean isUsuallyQuick(CallHeader call, XdrReader arguments) {
            return false;
        }

        @Override
        public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
            return CallThreads.Kind.VIRTUAL;
        }

        @Override
        public boolean wrapsData(CallHeader call) {
            return false;
        }

        @Override
        public boolean mayBegin(CallHeader call) {
            return call.procedure() == BEGINS;
        }

        @Override
        public boolean begin(
                CallHeader header,
                XdrReader call,
                InetSocketAddress peer,
                SegmentPool pool,
                XdrWriter reply,
                CallEnd end) {
            if (isBusy) {
                return false;
            }
            var one = new Begun(header, reply, end, Thread.currentThread(), new AtomicBoolean());
            all.add(one);
            begun.add(one);
            return true;
        }

        @Override
        public boolean dispatch(
                CallHeader header,
                XdrReader call,
                InetSocketAddress peer,
                SegmentPool pool,
                Optional<ReverseDirection> reverse,
                XdrWriter reply,
                Runnable passed) {
            dispatched.addAndGet(header.procedure());
            writeReply(header, reply, header.procedure() == 0 ? new int[0] : new int[] {-1});
            return true;
        }
    }

    @BeforeEach
    void connect() throws Exception {
        server =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .pollers(1)
                        .calls(
                                peer -> {
                                    peer.whenEnded(() -> Thread.startVirtualThread(this::endAll));
                                    return handler;
                                })
                        .start();
        client = RpcRdmaClient.builder().provider(provider).connect(server.address());
        client.ping(PROGRAM, 1, TIMEOUT);
    }

    private void endAll() {
        handler.all.forEach(each -> each.end(false));
    }

    @AfterEach
    void everythingIsGivenBack() {
        client.close();
        server.close();
        assertEquals(0, server.leasedMemory());
    }

    private CompletableFuture<Integer> call(int procedure) {
        return client.callAsync(
                new RpcCall(PROGRAM, 1, procedure, _ -> {}, Integer.BYTES),
                TIMEOUT,
                XdrReader::uint32);
    }

    private Begun begun() throws InterruptedException {
        return handler.begun.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void otherCallsPassABegunCall() throws Exception {
        var first = call(BEGINS);
        var one = begun();
        var second = call(BEGINS);
        var two = begun();
        // The polling thread itself begins them, and goes on.
        assertFalse(one.thread().isVirtual());
        assertEquals(one.thread(), two.thread());
        assertEquals(-1, call(DISPATCHED).get());
        two.answer(2);
        assertEquals(2, second.get());
        assertFalse(first.isDone());
        assertTrue(server.callsInProgress() >= 1);
        one.answer(1);
        assertEquals(1, first.get());
    }

    @Test
    void aCallThatCannotBeginIsDispatched() throws Exception {
        handler.isBusy = true;
        assertEquals(-1, call(BEGINS).get());
        assertEquals(BEGINS, handler.dispatched.get());
    }

    /** Goal: as with a dispatched call, the client learns that it gets no reply. */
    @Test
    void aBegunCallWithoutAReplyEndsItsConnection() throws Exception {
        var call = call(BEGINS);
        begun().end(false);
        assertTrue(call.handle((_, failure) -> failure != null).get());
    }

    @Test
    void theServerWaitsForBegunCallsWhenItCloses() throws Exception {
        var calls = new CompletableFuture<?>[] {call(BEGINS), call(BEGINS), call(BEGINS)};
        for (int i = 0; i < calls.length; i++) {
            begun();
        }
        server.close();
        assertTrue(handler.all.stream().allMatch(each -> each.hasEnded().get()));
        assertEquals(0, server.leasedMemory());
        for (var call : calls) {
            assertTrue(call.handle((_, failure) -> failure != null).get());
        }
    }
}
