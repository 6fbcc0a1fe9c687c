package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a call ends in time at any server. Method: the test itself is the server. */
@Timeout(60)
class TcpRpcCallTest {
    private static final int LONG_MILLIS = 20_000;
    private static final Duration LONG = Duration.ofMillis(LONG_MILLIS);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final int RESULTS_MAX = 8;
    private static final int LAST = 1 << 31;

    private ServerSocket listener;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(LONG_MILLIS);
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    private FutureTask<Integer> call(Duration timeout) {
        var server = (InetSocketAddress) listener.getLocalSocketAddress();
        var call = new RpcCall(7, 1, 2, out -> out.uint32(5), RESULTS_MAX);
        var task =
                new FutureTask<>(
                        () ->
                                TcpRpcCall.make(
                                        server,
                                        new Credential.None(),
                                        call,
                                        XdrReader::uint32,
                                        timeout));
        Thread.startVirtualThread(task);
        return task;
    }

    /** Returns the connection of a call whose message was read, and the XID of the call. */
    private record Received(Socket socket, int xid) {
        void send(int... words) throws IOException {
            var bytes = ByteBuffer.allocate(words.length * Integer.BYTES);
            for (int word : words) {
                bytes.putInt(word);
            }
            socket.getOutputStream().write(bytes.array());
        }
    }

    private Received receive() throws IOException {
        var socket = listener.accept();
        socket.setSoTimeout(LONG_MILLIS);
        var in = new DataInputStream(socket.getInputStream());
        assertEquals(LAST | 44, in.readInt());
        int xid = in.readInt();
        // A call of RPC version 2, with AUTH_NONE twice.
        int[] rest = {0, 2, 7, 1, 2, 0, 0, 0, 0, 5};
        for (int word : rest) {
            assertEquals(word, in.readInt());
        }
        return new Received(socket, xid);
    }

    private static void assertFails(Class<? extends RpcException> how, FutureTask<Integer> call) {
        var failure = assertThrows(ExecutionException.class, call::get).getCause();
        assertTrue(how.isInstance(failure), () -> failure + " is not " + how);
    }

    @Test
    void returnsTheResultsAndClosesTheConnection() throws Exception {
        var call = call(LONG);
        var received = receive();
        // In three fragments.
        received.send(8, received.xid, 1, 8, 0, 0);
        received.send(LAST | 12, 0, 0, 42);
        assertEquals(42, call.get());
        assertEquals(-1, received.socket.getInputStream().read());
    }

    @Test
    void aServerThatDoesNotAnswerIsGivenUp() throws Exception {
        var call = call(SHORT);
        var received = receive();
        assertFails(RpcException.TimedOut.class, call);
        assertEquals(-1, received.socket.getInputStream().read());
    }

    @Test
    void aReplyThatNeverEndsIsGivenUp() throws Exception {
        var call = call(SHORT);
        var received = receive();
        var out = received.socket.getOutputStream();
        assertThrows(
                IOException.class,
                () -> {
                    while (true) {
                        // Empty fragments never end a record.
                        out.write(0);
                    }
                });
        assertThrows(ExecutionException.class, call::get);
    }

    @Test
    void otherRepliesAreErrors() throws Exception {
        var lost = call(LONG);
        receive().socket.close();
        assertFails(RpcException.ConnectionLost.class, lost);

        var foreign = call(LONG);
        var received = receive();
        received.send(LAST | 28, received.xid + 1, 1, 0, 0, 0, 0, 42);
        assertFails(RpcException.BadReply.class, foreign);

        var refused = call(LONG);
        received = receive();
        received.send(LAST | 24, received.xid, 1, 0, 0, 0, 1);
        assertFails(RpcException.Refused.class, refused);

        var empty = call(LONG);
        received = receive();
        received.send(LAST | 24, received.xid, 1, 0, 0, 0, 0);
        assertFails(RpcException.BadReply.class, empty);

        var huge = call(LONG);
        received = receive();
        received.send(LAST | (1 << 20));
        assertFails(RpcException.BadReply.class, huge);

        listener.close();
        assertFails(RpcException.Unreachable.class, call(LONG));
    }

    @Test
    void aLongCallIsRefused() {
        var server = (InetSocketAddress) listener.getLocalSocketAddress();
        var call =
                new RpcCall(
                        7, 1, 2, out -> out.fixedOpaque(new byte[TcpRpcCall.CALL_BYTES_MAX]), 0);
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        TcpRpcCall.make(
                                server, new Credential.None(), call, XdrReader::uint32, LONG));
    }
}
