package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Golden;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: no peer can block the server, by any bytes that it sends or withholds. */
class TcpRpcServerTest {
    private static final int LONG_MILLIS = 20_000;
    private static final Duration LONG = Duration.ofMillis(LONG_MILLIS);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final long RECORD_MAX = 4096;
    private static final int CONNECTIONS_MAX = 3;
    private static final int CALLS_MAX = 3;
    private static final int CALLS_PER_CONNECTION_MAX = 2;

    /** A procedure whose results begin in open memory and end in closed memory. */
    private static final int HALF = 20;

    private final PatternProgram program =
            new PatternProgram(1, 1) {
                @Override
                public AcceptStatus call(RpcRequest request, XdrWriter results)
                        throws XdrException, InterruptedException {
                    if (request.procedure() != HALF) {
                        return super.call(request, results);
                    }
                    // One system call does not write that many pieces.
                    var open = MemorySegment.ofArray(new byte[4096]);
                    for (int i = 0; i < 4000; i++) {
                        results.bulk(open);
                    }
                    try (var arena = Arena.ofShared()) {
                        results.bulk(arena.allocate(4));
                    }
                    return AcceptStatus.SUCCESS;
                }
            };

    private TcpRpcServer server;

    @AfterEach
    void everythingIsGivenBack() {
        program.letGo();
        server.close();
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.openConnections());
    }

    private void serve(Duration stallTimeout, Duration idleTimeout) throws IOException {
        serve(CONNECTIONS_MAX, stallTimeout, idleTimeout);
    }

    private void serve(int perClientMax, Duration stallTimeout, Duration idleTimeout)
            throws IOException {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(program),
                        new TcpRpcOptions(
                                CONNECTIONS_MAX,
                                perClientMax,
                                CALLS_MAX,
                                CALLS_MAX,
                                CALLS_PER_CONNECTION_MAX,
                                64,
                                1 << 20,
                                RECORD_MAX,
                                stallTimeout,
                                idleTimeout));
    }

    private Socket open() throws IOException {
        var socket = new Socket();
        socket.setSoTimeout(LONG_MILLIS);
        socket.connect(server.address(), LONG_MILLIS);
        return socket;
    }

    @Test
    void answersWithTheGoldenReply() throws Exception {
        serve(LONG, LONG);
        try (var socket = open()) {
            send(socket, record(0x0a0b0c0d, 0));
            assertEquals(Golden.digits("null-reply"), receive(socket));
            var otherVersion = ByteBuffer.allocate(16).putInt(1 << 31 | 12);
            otherVersion.putInt(0x0a0b0c0d).putInt(0).putInt(3);
            send(socket, otherVersion.array());
            assertEquals(Golden.digits("rpc-mismatch"), receive(socket));
        }
    }

    @Test
    void takesCallsInAnySegmentation() throws Exception {
        serve(LONG, LONG);
        try (var socket = open()) {
            byte[] call = record(0x0a0b0c0d, 0);
            byte[] three =
                    ByteBuffer.allocate(3 * call.length).put(call).put(call).put(call).array();
            send(socket, three);
            for (byte oneByte : three) {
                send(socket, new byte[] {oneByte});
            }
            for (int i = 0; i < 6; i++) {
                assertEquals(Golden.digits("null-reply"), receive(socket));
            }
        }
    }

    @Test
    void closesAConnectionThatAnnouncesTooMuch() throws Exception {
        serve(LONG, LONG);
        for (int mark : new int[] {-1, Integer.MAX_VALUE, (int) RECORD_MAX + 1}) {
            try (var socket = open()) {
                send(socket, ByteBuffer.allocate(4).putInt(mark).array());
                assertEnds(socket);
            }
        }
        try (var socket = open()) {
            send(socket, "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertEnds(socket);
        }
        assertEquals(4, server.statistics().connectionsBroken());
    }

    @Test
    void closesAConnectionThatSendsEmptyFragmentsForEver() throws Exception {
        serve(LONG, LONG);
        try (var socket = open()) {
            byte[] fragments = new byte[64 << 10];
            assertThrows(
                    IOException.class,
                    () -> {
                        while (true) {
                            send(socket, fragments);
                        }
                    });
        }
    }

    @Test
    void closesAConnectionWhoseRecordDoesNotEnd() throws Exception {
        serve(SHORT, LONG);
        try (var socket = open()) {
            byte[] call = record(1, 0);
            send(socket, Arrays.copyOf(call, call.length - 1));
            assertEnds(socket);
            assertEquals(1, server.statistics().connectionsBroken());
        }
    }

    /** A trickle of bytes does not count as progress: the whole record must arrive in time. */
    @Test
    void closesAConnectionWhoseRecordDripsIn() throws Exception {
        serve(SHORT, LONG);
        try (var socket = open()) {
            send(socket, new byte[] {(byte) 0x80, 0, 0x0f, 0});
            socket.setSoTimeout(10);
            int sent = 0;
            while (isOpen(socket)) {
                sent++;
                assertTrue(sent < RECORD_MAX, "still open");
            }
        }
    }

    /**
     * Sends a byte, and waits briefly for the end of the connection. Returns whether it is still
     * open.
     */
    private static boolean isOpen(Socket socket) throws IOException {
        try {
            send(socket, new byte[1]);
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException _) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    @Test
    void closesASilentConnection() throws Exception {
        serve(LONG, SHORT);
        try (var socket = open()) {
            assertEnds(socket);
        }
    }

    @Test
    void doesNotTakeAConnectionForSilentWhoseCallIsInProgress() throws Exception {
        serve(LONG, SHORT);
        try (var working = open();
                var silent = open()) {
            send(working, record(7, PatternProgram.WAIT));
            program.awaitWaiting();
            assertEnds(silent);
            try (var another = open()) {
                assertEnds(another);
            }
            program.letGo();
            assertEquals(replyTo(7), receive(working));
            assertEnds(working);
        }
    }

    @Test
    void closesAConnectionThatDoesNotTakeItsReplies() throws Exception {
        serve(Duration.ofMillis(500), LONG);
        try (var socket = open()) {
            byte[] call = record(1, PatternProgram.FETCH, out -> out.uint32(16 << 20));
            for (int i = 0; i < 4; i++) {
                send(socket, call);
            }
            Eventually.await(() -> server.statistics().connectionsBroken() > 0);
            assertThrows(
                    IOException.class,
                    () -> {
                        for (int i = 0; i < 4; i++) {
                            receive(socket);
                        }
                    });
        }
    }

    /**
     * Goal: a client never reads a reply as the rest of another one. Method: a second reply waits
     * for its turn while the first one breaks off.
     */
    @Test
    void writesNothingBehindAReplyThatBreaksOff() throws Exception {
        serve(LONG, LONG);
        try (var socket = open()) {
            send(socket, record(7, PatternProgram.WAIT));
            program.awaitWaiting();
            send(socket, record(8, HALF));
            assertTrue(socket.getInputStream().read() >= 0);
            program.letGo();
            byte[] rest = socket.getInputStream().readAllBytes();
            byte[] end = Arrays.copyOfRange(rest, rest.length - 24, rest.length);
            assertNotEquals(replyTo(7), Golden.hex(MemorySegment.ofArray(end)));
        }
    }

    @Test
    void endsTheLongestIdleConnectionBeyondItsLimit() throws Exception {
        serve(CONNECTIONS_MAX + 1, LONG, LONG);
        try (var first = open();
                var second = open();
                var third = open()) {
            for (var each : List.of(first, second, third, first)) {
                send(each, record(0x0a0b0c0d, 0));
                assertEquals(Golden.digits("null-reply"), receive(each));
            }
            try (var fourth = open()) {
                assertEnds(second);
                for (var each : List.of(first, third, fourth)) {
                    send(each, record(0x0a0b0c0d, 0));
                    assertEquals(Golden.digits("null-reply"), receive(each));
                }
                assertEquals(1, server.statistics().connectionsEvicted());
                assertEquals(0, server.statistics().connectionsRefused());
                assertEquals(CONNECTIONS_MAX, server.openConnections());
            }
        }
    }

    @Test
    void endsTheLongestIdleConnectionBeyondTheLimitOfOneClient() throws Exception {
        serve(1, LONG, LONG);
        try (var first = open()) {
            send(first, record(0x0a0b0c0d, 0));
            assertEquals(Golden.digits("null-reply"), receive(first));
            try (var second = open()) {
                assertEnds(first);
                send(second, record(0x0a0b0c0d, 0));
                assertEquals(Golden.digits("null-reply"), receive(second));
            }
            assertEquals(1, server.statistics().connectionsEvicted());
            assertEquals(0, server.statistics().connectionsRefused());
        }
    }

    @Test
    void bringsCallsBeyondTheLimitOfAllToAnEnd() throws Exception {
        serve(LONG, LONG);
        try (var first = open();
                var second = open()) {
            assertAllEnd(first, second);
        }
        assertTrue(program.waitingMax() <= CALLS_MAX);
    }

    @Test
    void bringsCallsBeyondTheLimitOfAConnectionToAnEnd() throws Exception {
        serve(LONG, LONG);
        try (var socket = open()) {
            assertAllEnd(socket);
        }
        assertTrue(program.waitingMax() <= CALLS_PER_CONNECTION_MAX);
    }

    /** Makes more calls than may be in progress on each connection, and checks that all end. */
    private void assertAllEnd(Socket... sockets) throws Exception {
        for (var each : sockets) {
            for (int xid = 0; xid < 10; xid++) {
                send(each, record(xid, PatternProgram.WAIT));
            }
        }
        program.awaitWaiting();
        // This gives a call beyond the limit time to start.
        try (var other = open()) {
            for (int i = 0; i < 200; i++) {
                send(other, record(0x0a0b0c0d, 0));
                assertEquals(Golden.digits("null-reply"), receive(other));
            }
        }
        program.letGo();
        for (var each : sockets) {
            int sum = 0;
            for (int i = 0; i < 10; i++) {
                sum += Integer.parseInt(receive(each).substring(0, 8), 16);
            }
            assertEquals(45, sum);
        }
        Eventually.await(() -> server.statistics().replies() >= 200 + 10 * sockets.length);
    }

    @Test
    void ignoresWhatIsNotACall() throws Exception {
        serve(LONG, LONG);
        try (var socket = open()) {
            send(socket, marked(Golden.bytes("null-reply").toArray(ValueLayout.JAVA_BYTE)));
            send(socket, marked(new byte[0]));
            send(socket, marked(new byte[5]));
            send(socket, record(0x0a0b0c0d, 0));
            assertEquals(Golden.digits("null-reply"), receive(socket));
            assertEquals(3, server.statistics().discarded());
        }
    }

    @Test
    void answersAPeerThatHasClosedItsSide() throws Exception {
        serve(LONG, LONG);
        try (var socket = open()) {
            send(socket, record(9, PatternProgram.WAIT));
            program.awaitWaiting();
            socket.shutdownOutput();
            program.letGo();
            assertEquals(replyTo(9), receive(socket));
            assertEnds(socket);
        }
    }

    @Test
    void survivesPeersThatLeaveInTheMiddle() throws Exception {
        serve(LONG, LONG);
        byte[] call = record(1, PatternProgram.FETCH, out -> out.uint32(4 << 20));
        for (int length = 0; length <= call.length; length += 3) {
            try (var socket = open()) {
                socket.setSoLinger(true, 0);
                send(socket, Arrays.copyOf(call, length));
            }
            Eventually.await(() -> server.openConnections() == 0);
        }
    }

    @Test
    void interruptsCallsWhenItIsClosed() throws Exception {
        serve(LONG, LONG);
        try (var socket = open()) {
            send(socket, record(9, PatternProgram.WAIT));
            program.awaitWaiting();
            server.close();
            assertEnds(socket);
        }
    }

    private static byte[] record(int xid, int procedure) {
        return record(xid, procedure, _ -> {});
    }

    private static byte[] record(int xid, int procedure, Consumer<XdrWriter> arguments) {
        try (var out = new XdrWriter(new SegmentPool(0))) {
            CallHeader.encode(out, xid, PatternProgram.PROGRAM, 1, procedure, RawAuth.NONE);
            arguments.accept(out);
            return marked(out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static byte[] marked(byte[] message) {
        return ByteBuffer.allocate(4 + message.length)
                .putInt(1 << 31 | message.length)
                .put(message)
                .array();
    }

    /** Returns a reply without results. */
    private static String replyTo(int xid) {
        return "%08x".formatted(xid) + Golden.digits("null-reply").substring(8);
    }

    private static void send(Socket socket, byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    private static String receive(Socket socket) throws IOException {
        var in = new DataInputStream(socket.getInputStream());
        byte[] message = new byte[in.readInt() & Integer.MAX_VALUE];
        in.readFully(message);
        return Golden.hex(MemorySegment.ofArray(message));
    }

    private static void assertEnds(Socket socket) throws IOException {
        assertArrayEquals(new byte[0], socket.getInputStream().readAllBytes());
    }
}
