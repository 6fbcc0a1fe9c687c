package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: no server can block a caller. Method: the test itself is the server, byte by byte. */
class TcpRpcClientTest {
    private static final int LONG_MILLIS = 20_000;
    private static final Duration LONG = Duration.ofMillis(LONG_MILLIS);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final int LARGE = 32 << 20;

    /** More pieces of memory than one system call writes. */
    private static final int PIECES = 1100;

    private ServerSocket listener;
    private TcpRpcClient client;
    private Socket server;

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
    }

    @Test
    void dropsWhatAnswersNoCall() throws Exception {
        var call = nullCall();
        int xid = receiveCall();
        send(0x8000_0018, xid + 1, 1, 0, 0, 0, 0);
        send(0x8000_0028, xid, 0, 2, 1, 1, 0, 0, 0, 0, 0);
        send(0x8000_0000);
        send(0x8000_0004, xid);
        send(0x8000_0018, xid, 1, 0, 0, 0, 0);
        send(0x8000_0018, xid, 1, 0, 0, 0, 0);
        assertEquals(0, call.get());
        assertLives();
    }

    @Test
    void reportsAMalformedReply() throws Exception {
        var call = nullCall();
        send(0x8000_0018, receiveCall(), 1, 0, 0, 0, 77);
        var failure = assertInstanceOf(RpcException.BadReply.class, failureOf(call));
        assertTrue(failure.getMessage().endsWith("is malformed: unknown accept_stat 77"));
        assertLives();
    }

    @Test
    void saysThatTheServerDeniedACall() throws Exception {
        var call = nullCall();
        send(0x8000_0014, receiveCall(), 1, 1, 1, 5);
        assertInstanceOf(RpcException.Denied.class, failureOf(call));
        assertLives();
    }

    @Test
    void sendsNoCallWhoseReplyItWouldNotAccept() throws Exception {
        int longest = (int) TcpRpcClient.REPLY_BYTES_MAX - 24;
        var target = MemorySegment.ofArray(new byte[longest - 3]);
        var calls =
                List.of(
                        new RpcCall(1, 1, 0, _ -> {}, longest + 1),
                        new RpcCall(1, 1, 0, _ -> {}, 4, List.of(target)));
        try (var pipeline = client.pipeline()) {
            for (var call : calls) {
                assertThrows(IllegalArgumentException.class, () -> client.call(call, SHORT));
                assertThrows(
                        IllegalArgumentException.class, () -> pipeline.submit(call, SHORT, null));
            }
            assertEquals(0, pipeline.outstanding());
        }
        var call = inBackground(() -> call(new RpcCall(100003, 3, 0, _ -> {}, longest)));
        send(0x8000_0018, receiveCall(), 1, 0, 0, 0, 0);
        assertEquals(0, call.get());
    }

    @Test
    void losesAConnectionWhoseRecordsAreTooLong() throws Exception {
        for (int mark : new int[] {-1, 0x7fff_ffff, 0x8400_0001}) {
            var call = nullCall();
            receiveCall();
            send(mark);
            var failure = assertInstanceOf(RpcException.ConnectionLost.class, failureOf(call));
            assertTrue(failure.getMessage().contains("is longer than the limit of"));
            everythingIsGivenBack();
            connect();
        }
    }

    @Test
    void losesAConnectionThatSendsEmptyFragmentsForEver() throws Exception {
        var call = nullCall();
        receiveCall();
        byte[] fragments = new byte[64 << 10];
        assertThrows(
                IOException.class,
                () -> {
                    while (true) {
                        server.getOutputStream().write(fragments);
                    }
                });
        assertInstanceOf(RpcException.ConnectionLost.class, failureOf(call));
    }

    @Test
    void saysThatTheServerClosedTheConnection() throws Exception {
        var call = nullCall();
        receiveCall();
        server.close();
        var failure = assertInstanceOf(RpcException.ConnectionLost.class, failureOf(call));
        assertTrue(failure.getMessage().endsWith(" was lost: the server closed it"));
    }

    @Test
    void dropsARecordThatEndsInTheMiddleOfTheConnection() throws Exception {
        var call = nullCall();
        send(0x8000_1000, receiveCall(), 1, 0);
        server.shutdownOutput();
        assertInstanceOf(RpcException.ConnectionLost.class, failureOf(call));
    }

    @Test
    void dropsAReplyThatComesTooLate() throws Exception {
        assertThrows(
                RpcException.TimedOut.class, () -> client.call(PatternProgram.nullCall(), SHORT));
        send(0x8000_0018, receiveCall(), 1, 0, 0, 0, 0);
        assertLives();
        assertEquals(1, client.leasedMemory());
    }

    /**
     * Goal: a reply that arrives at its deadline leaks no memory. Method: many calls with various
     * timeouts.
     */
    @Test
    void givesEveryReplyOneOwner() throws Exception {
        var echo = Thread.ofVirtual().start(this::answerAll);
        for (int i = 0; i < 2000; i++) {
            try (var reply = client.call(PatternProgram.nullCall(), Duration.ofNanos(i * 200L))) {
                reply.results().finish();
            } catch (RpcException.TimedOut _) {
                // Both outcomes are correct.
            }
        }
        try (var reply = client.call(PatternProgram.nullCall(), LONG)) {
            reply.results().finish();
        }
        assertEquals(1, client.leasedMemory());
        client.close();
        echo.join();
    }

    private void answerAll() {
        try {
            while (true) {
                send(0x8000_0018, receiveCall(), 1, 0, 0, 0, 0);
            }
        } catch (IOException _) {
            // The client has closed the connection.
        }
    }

    @Test
    void givesUpACallThatTheServerDoesNotTake() throws Exception {
        var large = PatternProgram.store(MemorySegment.ofArray(new byte[LARGE]));
        assertThrows(RpcException.TimedOut.class, () -> client.call(large, SHORT));
        var failure =
                assertThrows(
                        RpcException.ConnectionLost.class,
                        () -> client.call(PatternProgram.nullCall(), LONG));
        assertTrue(failure.getMessage().contains("could not be sent within its deadline"));
    }

    /**
     * Goal: the server never reads a call as the rest of another one. Method: the last pieces of a
     * message, behind those of the first system call, are in closed memory.
     */
    @Test
    void losesTheConnectionIfItCannotSendTheRestOfAMessage() throws Exception {
        var live = MemorySegment.ofArray(new byte[4]);
        var closed = closedMemory();
        var call =
                procedure(
                        out -> {
                            for (int i = 0; i < PIECES; i++) {
                                out.bulk(live);
                            }
                            out.bulk(closed);
                        });
        assertThrows(IllegalStateException.class, () -> client.call(call, LONG));
        var failure =
                assertThrows(
                        RpcException.ConnectionLost.class,
                        () -> client.call(PatternProgram.nullCall(), SHORT));
        assertTrue(failure.getMessage().contains("could not be sent as a whole"));
    }

    @Test
    void keepsAConnectionOnWhichItSentNothingOfAMessage() throws Exception {
        var closed = closedMemory();
        assertThrows(
                IllegalStateException.class, () -> client.call(PatternProgram.store(closed), LONG));
        assertLives();
    }

    /** Goal: such a call has one exception, and the calls behind it are sent. */
    @Test
    void aPipelineDropsACallWhoseMemoryWasClosed() throws Exception {
        var outcome =
                new CallOutcome() {
                    private int succeeded;

                    @Override
                    public void succeeded(XdrReader results) {
                        succeeded++;
                    }

                    @Override
                    public void failed(RpcException reason) {
                        throw new AssertionError(reason);
                    }
                };
        try (var pipeline = client.pipeline()) {
            try (var arena = Arena.ofShared()) {
                pipeline.submit(PatternProgram.store(arena.allocate(4)), LONG, outcome);
            }
            pipeline.submit(PatternProgram.nullCall(), LONG, outcome);
            assertThrows(IllegalStateException.class, () -> pipeline.poll(LONG));
            assertEquals(1, pipeline.outstanding());
            assertFalse(pipeline.poll(Duration.ZERO));
            send(0x8000_0018, receiveCall(), 1, 0, 0, 0, 0);
            assertTrue(pipeline.poll(LONG));
            assertEquals(0, pipeline.outstanding());
            assertEquals(1, outcome.succeeded);
            assertEquals(1, client.leasedMemory());
        }
    }

    private static RpcCall procedure(Consumer<XdrWriter> arguments) {
        return new RpcCall(
                PatternProgram.PROGRAM, 1, PatternProgram.STORE, arguments::accept, Long.BYTES);
    }

    private static MemorySegment closedMemory() {
        try (var arena = Arena.ofShared()) {
            return arena.allocate(4);
        }
    }

    @Test
    void waitsForItsTurnOnlyUntilItsDeadline() throws Exception {
        var large = inBackground(largeCall());
        server.getInputStream().read();
        assertThrows(
                RpcException.TimedOut.class, () -> client.call(PatternProgram.nullCall(), SHORT));
        takeRestOfLargeCall();
        assertEquals(LARGE, large.get());
    }

    /** The client must complete the record, or the server would read the next call as its rest. */
    @Test
    void finishesARecordBeforeItGivesInToAnInterrupt() throws Exception {
        for (var threads : new Thread.Builder[] {Thread.ofVirtual(), Thread.ofPlatform()}) {
            var large = new FutureTask<>(largeCall());
            var caller = threads.start(large);
            server.getInputStream().read();
            caller.interrupt();
            takeRestOfLargeCall();
            assertInstanceOf(InterruptedException.class, failureOf(large));
            assertLives();
        }
    }

    private Callable<Long> largeCall() {
        var call = PatternProgram.store(MemorySegment.ofArray(new byte[LARGE]));
        return () -> {
            try (var reply = client.call(call, LONG)) {
                return reply.results().uint64();
            }
        };
    }

    /** Reads the bytes after the first one, and sends the reply. */
    private void takeRestOfLargeCall() throws IOException {
        var in = new DataInputStream(server.getInputStream());
        in.skipNBytes(3);
        int xid = in.readInt();
        in.skipNBytes(36 + Integer.BYTES + LARGE);
        send(0x8000_0020, xid, 1, 0, 0, 0, 0, 0, LARGE);
    }

    @Test
    void doesNotConnectForEver() throws Exception {
        try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var first = new Socket();
                var second = new Socket()) {
            // A listener with a full backlog does not respond.
            first.connect(full.getLocalSocketAddress());
            second.connect(full.getLocalSocketAddress());
            var address = (InetSocketAddress) full.getLocalSocketAddress();
            var failure =
                    assertThrows(
                            RpcException.Unreachable.class,
                            () -> TcpRpcClient.connect(address, new Credential.None(), SHORT));
            assertTrue(failure.getMessage().endsWith(": no answer in time"));
            var connecting =
                    new FutureTask<>(
                            () -> TcpRpcClient.connect(address, new Credential.None(), LONG));
            var caller = Thread.ofVirtual().start(connecting);
            caller.interrupt();
            assertInstanceOf(InterruptedException.class, failureOf(connecting));
        }
    }

    private FutureTask<Long> nullCall() {
        return inBackground(() -> call(PatternProgram.nullCall()));
    }

    private long call(RpcCall call) throws Exception {
        try (var reply = client.call(call, LONG)) {
            return reply.results().remaining();
        }
    }

    private void assertLives() throws Exception {
        var call = nullCall();
        send(0x8000_0018, receiveCall(), 1, 0, 0, 0, 0);
        assertEquals(0, call.get());
    }

    private static <T> FutureTask<T> inBackground(Callable<T> work) {
        var task = new FutureTask<>(work);
        Thread.ofVirtual().start(task);
        return task;
    }

    private static Throwable failureOf(FutureTask<?> task) {
        return assertThrows(ExecutionException.class, task::get).getCause();
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
}
