package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.spi.CallEnd;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a begun call needs no thread of the server, and its answer makes no thread wait for the
 * client. Method: the test answers the calls, on its own thread.
 */
@Timeout(60)
class BegunAnswersTest {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int PROGRAM = 0x2000_0058;
    private static final int BEGINS = 1;
    private static final int DISPATCHED = 2;

    /** More than the buffers of both sockets hold, together with the other replies. */
    private static final int LARGE = 4 << 20;

    private static final int LARGE_CALLS = 8;

    private final Later handler = new Later();
    private TcpRpcServer server;
    private Socket client;
    private DataInputStream in;
    private int lastXid;

    /** A begun call. */
    private record Begun(
            CallHeader header,
            XdrWriter reply,
            CallEnd end,
            Thread thread,
            AtomicBoolean hasEnded) {
        /** Answers with a number of bytes, each the low byte of the XID. */
        void answer(int bytes) {
            var data = new byte[bytes];
            Arrays.fill(data, (byte) header.xid());
            writeReply(header, reply);
            reply.fixedBulk(MemorySegment.ofArray(data));
            end(true);
        }

        void end(boolean isAnswered) {
            if (!hasEnded.getAndSet(true)) {
                end.ended(isAnswered);
            }
        }
    }

    private static void writeReply(CallHeader header, XdrWriter reply) {
        reply.uint32(header.xid()).uint32(ReplyHeader.REPLY);
        // Accepted, an empty verifier, success.
        reply.uint32(0).uint32(0).uint32(0).uint32(0);
    }

    private static final class Later implements CallHandler, CallService {
        final List<Begun> all = new CopyOnWriteArrayList<>();
        final LinkedBlockingQueue<Begun> begun = new LinkedBlockingQueue<>();
        final AtomicInteger dispatched = new AtomicInteger();
        volatile boolean isBusy;

        /** What {@link #begin} throws; null if it works. */
        volatile RuntimeException bug;

        /** Whether it tells the end before. */
        volatile boolean endsFirst;

        @Override
        public CallHandler connected(ServedPeer peer) {
            peer.whenEnded(
                    () -> Thread.startVirtualThread(() -> all.forEach(each -> each.end(false))));
            return this;
        }

        @Override
        public boolean beginsCalls() {
            return true;
        }

        @Override
        public boolean runsOnReader(CallHeader call) {
            return false;
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
            if (bug != null) {
                if (endsFirst) {
                    end.ended(false);
                }
                throw bug;
            }
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
            dispatched.incrementAndGet();
            writeReply(header, reply);
            return true;
        }
    }

    @BeforeEach
    void connect() throws Exception {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        handler,
                        TcpRpcOptions.DEFAULT);
        client = new Socket();
        client.setReceiveBufferSize(64 << 10);
        client.setSoTimeout(PATIENCE_MILLIS);
        client.connect(server.address(), PATIENCE_MILLIS);
        in = new DataInputStream(client.getInputStream());
    }

    @AfterEach
    void everythingIsGivenBack() throws Exception {
        client.close();
        server.close();
        assertTrue(handler.all.stream().allMatch(each -> each.hasEnded().get()));
        assertEquals(0, server.leasedMemory());
    }

    /** Sends a call with a number of argument bytes. Returns its XID. */
    private int call(int procedure, int bytes) throws IOException {
        int xid = ++lastXid;
        int length = 10 * Integer.BYTES + bytes;
        var out = ByteBuffer.allocate(4 + length).putInt(1 << 31 | length).putInt(xid).putInt(0);
        out.putInt(CallHeader.RPC_VERSION).putInt(PROGRAM).putInt(1).putInt(procedure);
        client.getOutputStream().write(out.array());
        return xid;
    }

    private Begun begun() throws InterruptedException {
        return handler.begun.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Receives a reply whose results have a number of bytes, each the low byte of the XID. */
    private int receive(int bytes) throws IOException {
        assertEquals(6 * Integer.BYTES + bytes, in.readInt() & Integer.MAX_VALUE);
        int xid = in.readInt();
        assertEquals(ReplyHeader.REPLY, in.readInt());
        in.skipNBytes(4 * Integer.BYTES);
        byte[] data = new byte[bytes];
        in.readFully(data);
        for (byte each : data) {
            assertEquals((byte) xid, each);
        }
        return xid;
    }

    @Test
    void theReadingThreadBeginsTheCallsAndGoesOn() throws Exception {
        int first = call(BEGINS, 0);
        int second = call(BEGINS, 0);
        int third = call(DISPATCHED, 0);
        var one = begun();
        var two = begun();
        assertFalse(one.thread().isVirtual());
        assertEquals(one.thread(), two.thread());
        assertEquals(third, receive(0));
        two.answer(4);
        assertEquals(second, receive(4));
        one.answer(4);
        assertEquals(first, receive(4));
        assertEquals(1, handler.dispatched.get());
    }

    @Test
    void aCallThatCannotBeginOrHasDataIsDispatched() throws Exception {
        assertEquals(call(BEGINS, 64 << 10), receive(0));
        handler.isBusy = true;
        assertEquals(call(BEGINS, 0), receive(0));
        assertEquals(2, handler.dispatched.get());
    }

    @Test
    void aBegunCallMayEndWithoutAReply() throws Exception {
        call(BEGINS, 0);
        begun().end(false);
        assertEquals(call(DISPATCHED, 0), receive(0));
    }

    /**
     * Goal: a client that does not read makes no thread wait that answers calls, and gets every
     * reply as one record.
     */
    @Test
    void aThreadThatAnswersDoesNotWaitForTheClient() throws Exception {
        var xids = new ArrayList<Integer>();
        for (int i = 0; i < LARGE_CALLS; i++) {
            xids.add(call(BEGINS, 0));
        }
        for (int i = 0; i < LARGE_CALLS; i++) {
            begun().answer(LARGE);
        }
        // This thread is here although the client has read nothing.
        for (int i = 0; i < LARGE_CALLS; i++) {
            assertTrue(xids.remove((Integer) receive(LARGE)));
        }
        assertEquals(List.of(), xids);
        assertEquals(call(DISPATCHED, 0), receive(0));
    }

    @Test
    void theServerWaitsForBegunCallsWhenItCloses() throws Exception {
        for (int i = 0; i < LARGE_CALLS; i++) {
            call(BEGINS, 0);
        }
        begun().answer(LARGE);
        for (int i = 1; i < LARGE_CALLS; i++) {
            begun();
        }
        server.close();
        assertTrue(handler.all.stream().allMatch(each -> each.hasEnded().get()));
        assertEquals(0, server.leasedMemory());
    }

    @Test
    void aClientThatClosesItsSideGetsTheRepliesToItsCalls() throws Exception {
        int xid = call(BEGINS, 0);
        client.shutdownOutput();
        begun().answer(4);
        assertEquals(xid, receive(4));
        assertEquals(-1, in.read());
    }

    /** Goal: a call whose begin fails gives back its turn, its place and its memory, once. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBeginThatThrowsEndsTheConnectionAndKeepsNothing(boolean endsFirst) throws Exception {
        handler.endsFirst = endsFirst;
        handler.bug = new IllegalStateException("a handler with a bug");
        call(BEGINS, 0);
        assertEquals(-1, in.read());
        Eventually.await(Duration.ofMillis(PATIENCE_MILLIS), () -> server.clients() == 0);
        assertEquals(0, server.leasedMemory());
    }
}
