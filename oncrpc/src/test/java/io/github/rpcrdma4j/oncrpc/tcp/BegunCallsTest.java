package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyReceiver;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a call for which no thread waits ends once, and not before its arguments are written.
 * Method: the test itself is the server, byte by byte.
 */
class BegunCallsTest {
    private static final int LONG_MILLIS = 20_000;
    private static final Duration LONG = Duration.ofMillis(LONG_MILLIS);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final CallProtection NONE = CallProtection.of(new Credential.None());

    /** More than the buffers of both sockets hold. */
    private static final int LARGE = 32 << 20;

    /** The calls that began, all of which end with the client at the latest. */
    private final List<Outcome> begun = new ArrayList<>();

    private ServerSocket listener;
    private TcpRpcClient client;
    private Socket server;

    /** The outcome of one call. The end of the test checks that it came exactly once. */
    private static class Outcome implements ReplyReceiver {
        private final CompletableFuture<Long> remaining = new CompletableFuture<>();
        private final AtomicInteger ends = new AtomicInteger();

        @Override
        public void replied(RpcReply reply) {
            ends.incrementAndGet();
            long bytes = reply.results().remaining();
            reply.close();
            remaining.complete(bytes);
        }

        @Override
        public void failed(RpcException reason) {
            ends.incrementAndGet();
            remaining.completeExceptionally(reason);
        }

        long results() throws Exception {
            return remaining.get(LONG_MILLIS, TimeUnit.MILLISECONDS);
        }

        Throwable failure() {
            return assertThrows(ExecutionException.class, this::results).getCause();
        }

        boolean isKnown() {
            return remaining.isDone();
        }
    }

    @BeforeEach
    void connect() throws Exception {
        listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        client =
                TcpRpcClient.connect(
                        (InetSocketAddress) listener.getLocalSocketAddress(),
                        new Credential.None(),
                        LONG);
        server = listener.accept();
        server.setSoTimeout(LONG_MILLIS);
    }

    @AfterEach
    void everythingIsGivenBack() throws IOException {
        server.close();
        listener.close();
        client.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(List.of(), begun.stream().filter(each -> each.ends.get() != 1).toList());
    }

    private Outcome begin(RpcCall call, Duration timeout) {
        return begin(call, NONE, timeout);
    }

    private Outcome begin(RpcCall call, CallProtection protection, Duration timeout) {
        var outcome = new Outcome();
        assertTrue(client.begin(call, protection, timeout, outcome));
        begun.add(outcome);
        return outcome;
    }

    /** Receives a call. Returns its XID. */
    private int receiveCall() throws IOException {
        var in = new DataInputStream(server.getInputStream());
        byte[] message = new byte[in.readInt() & Integer.MAX_VALUE];
        in.readFully(message);
        return ByteBuffer.wrap(message).getInt();
    }

    private void send(int... words) throws IOException {
        var bytes = ByteBuffer.allocate(words.length * Integer.BYTES);
        for (int word : words) {
            bytes.putInt(word);
        }
        server.getOutputStream().write(bytes.array());
    }

    private void answer(int xid) throws IOException {
        send(0x8000_0018, xid, 1, 0, 0, 0, 0);
    }

    private void assertLives() throws Exception {
        var call = begin(PatternProgram.nullCall(), LONG);
        answer(receiveCall());
        assertEquals(0, call.results());
    }

    @Test
    void aReplyReachesTheReceiverOfItsCall() throws Exception {
        var first = begin(PatternProgram.nullCall(), LONG);
        var second = begin(PatternProgram.nullCall(), LONG);
        int xid = receiveCall();
        send(0x8000_001c, receiveCall(), 1, 0, 0, 0, 0, 7);
        assertEquals(Integer.BYTES, second.results());
        assertFalse(first.isKnown());
        answer(xid);
        assertEquals(0, first.results());
    }

    @Test
    void aDenialReachesTheReceiver() throws Exception {
        var call = begin(PatternProgram.nullCall(), LONG);
        send(0x8000_0014, receiveCall(), 1, 1, 1, 5);
        assertInstanceOf(RpcException.Denied.class, call.failure());
        assertLives();
    }

    @Test
    void theEndOfTheConnectionReachesTheReceiver() throws Exception {
        var call = begin(PatternProgram.nullCall(), LONG);
        receiveCall();
        server.close();
        assertInstanceOf(RpcException.ConnectionLost.class, call.failure());
        assertFalse(client.begin(PatternProgram.nullCall(), NONE, LONG, new Outcome()));
    }

    /** Goal: a bug of one receiver is not paid for by the other ones, nor by the owner. */
    @Test
    void aReceiverThatThrowsTakesTheEndFromNoOther() throws Exception {
        var ended = new CountDownLatch(1);
        var failed = new CountDownLatch(3);
        try (var other =
                        TcpRpcClient.connect(
                                (InetSocketAddress) listener.getLocalSocketAddress(),
                                new RpcDispatcher(List.of()),
                                ended::countDown,
                                new TcpClientOptions(
                                        LONG, LARGE, OptionalInt.empty(), Optional.empty()));
                var peer = listener.accept()) {
            for (long left = failed.getCount(); left > 0; left--) {
                assertTrue(
                        other.begin(PatternProgram.nullCall(), NONE, LONG, new Throwing(failed)));
            }
            peer.shutdownOutput();
            assertTrue(failed.await(LONG_MILLIS, TimeUnit.MILLISECONDS));
            assertTrue(ended.await(LONG_MILLIS, TimeUnit.MILLISECONDS));
        }
    }

    /** A receiver with a bug. */
    private record Throwing(CountDownLatch failed) implements ReplyReceiver {
        @Override
        public void replied(RpcReply reply) {
            throw new AssertionError("there is no reply");
        }

        @Override
        public void failed(RpcException reason) {
            failed.countDown();
            throw new IllegalStateException("a receiver with a bug", reason);
        }
    }

    /** A protection with a bug. */
    private static final CallProtection BROKEN =
            new CallProtection() {
                @Override
                public RawAuth credential() {
                    return NONE.credential();
                }

                @Override
                public XdrReader results(XdrReader reply, RpcCall call, int xid) {
                    throw new IllegalStateException("a protection with a bug");
                }
            };

    /** Goal: a reply whose results cannot be read because of a bug still ends its call. */
    @Test
    void aProtectionThatThrowsEndsItsCall() throws Exception {
        var call = begin(PatternProgram.nullCall(), BROKEN, LONG);
        answer(receiveCall());
        assertInstanceOf(RpcException.BadReply.class, call.failure());
        assertEquals(-1, server.getInputStream().read());
    }

    /** Goal: likewise if the reply comes while the call is being written. */
    @Test
    void aProtectionThatThrowsEndsItsCallWhenThatIsWritten() throws Exception {
        var data = MemorySegment.ofArray(new byte[LARGE]);
        var call = begin(PatternProgram.store(data), BROKEN, LONG);
        var in = new DataInputStream(server.getInputStream());
        in.skipNBytes(4);
        send(0x8000_0020, in.readInt(), 1, 0, 0, 0, 0, 0, LARGE);
        in.skipNBytes(36 + Integer.BYTES + LARGE);
        assertInstanceOf(RpcException.BadReply.class, call.failure());
        assertEquals(-1, in.read());
    }

    @Test
    void closingTheClientEndsItsCalls() throws Exception {
        var call = begin(PatternProgram.nullCall(), LONG);
        receiveCall();
        client.close();
        assertInstanceOf(RpcException.ConnectionLost.class, call.failure());
    }

    @Test
    void aLateCallEndsAndItsReplyIsDropped() throws Exception {
        var patient = begin(PatternProgram.nullCall(), LONG);
        var call = begin(PatternProgram.nullCall(), SHORT);
        int first = receiveCall();
        int late = receiveCall();
        assertInstanceOf(RpcException.TimedOut.class, call.failure());
        answer(late);
        answer(first);
        assertEquals(0, patient.results());
        assertEquals(1, client.leasedMemory());
    }

    /**
     * Goal: replies that keep arriving hold up no deadline. Method: when the time of the second
     * call is up, its reply is the next that the connection reads.
     */
    @Test
    void aCallIsLateAlthoughBytesKeepArriving() throws Exception {
        var clock = new AtomicLong(Long.MAX_VALUE);
        var stream =
                ClientStream.open(
                        (InetSocketAddress) listener.getLocalSocketAddress(),
                        Optional.empty(),
                        TcpClientOptions.within(LONG),
                        clock::get);
        server.close();
        server = listener.accept();
        server.setSoTimeout(LONG_MILLIS);
        try {
            var sent = new CompletableFuture<Integer>();
            var late = new Outcome();
            var first =
                    new Outcome() {
                        @Override
                        public void replied(RpcReply reply) {
                            clock.addAndGet(LONG.toNanos());
                            try {
                                answer(sent.join());
                            } catch (IOException broken) {
                                throw new UncheckedIOException(broken);
                            }
                            super.replied(reply);
                        }
                    };
            assertTrue(stream.begin(PatternProgram.nullCall(), NONE, LONG.plus(LONG), first));
            assertTrue(stream.begin(PatternProgram.nullCall(), NONE, LONG, late));
            int xid = receiveCall();
            sent.complete(receiveCall());
            answer(xid);
            assertEquals(0, first.results());
            assertInstanceOf(RpcException.TimedOut.class, late.failure());
        } finally {
            stream.close();
        }
    }

    /** Goal: the memory of the arguments is not given back while it is being written. */
    @Test
    void aCallEndsOnlyWhenItsMessageIsWritten() throws Exception {
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(LARGE);
            var large = begin(PatternProgram.store(data), LONG);
            var in = new DataInputStream(server.getInputStream());
            in.skipNBytes(4);
            int xid = in.readInt();
            send(0x8000_0020, xid, 1, 0, 0, 0, 0, 0, LARGE);
            assertFalse(client.begin(PatternProgram.nullCall(), NONE, LONG, new Outcome()));
            assertFalse(large.isKnown());
            in.skipNBytes(36 + Integer.BYTES + LARGE);
            assertEquals(Long.BYTES, large.results());
        }
        assertLives();
    }

    @Test
    void aCallDoesNotWaitBehindAnUnfinishedMessage() throws Exception {
        var large = begin(PatternProgram.store(MemorySegment.ofArray(new byte[LARGE])), LONG);
        var refused = new Outcome();
        assertFalse(client.begin(PatternProgram.nullCall(), NONE, LONG, refused));
        answer(receiveCall());
        assertEquals(0, large.results());
        assertLives();
        assertFalse(refused.isKnown());
    }

    @Test
    void aCallWithAnXidInUseDoesNotBegin() throws Exception {
        var call = PatternProgram.nullCall().withXid(77);
        var first = begin(call, LONG);
        assertThrows(
                IllegalArgumentException.class,
                () -> client.begin(call, NONE, LONG, new Outcome()));
        assertEquals(77, receiveCall());
        answer(77);
        assertEquals(0, first.results());
    }

    @Test
    void aCallWhoseMemoryWasClosedSendsNothing() throws Exception {
        var outcome = new Outcome();
        var arena = Arena.ofShared();
        var call = PatternProgram.store(arena.allocate(4));
        arena.close();
        assertThrows(IllegalStateException.class, () -> client.begin(call, NONE, LONG, outcome));
        assertNull(outcome.remaining.getNow(null));
        assertLives();
    }
}
