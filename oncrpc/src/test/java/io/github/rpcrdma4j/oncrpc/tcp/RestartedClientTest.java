package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a client that counts XIDs from the same start after each of its own starts gets no reply of
 * its last run, and a client that has lost its connection gets its reply again.
 */
@Timeout(30)
class RestartedClientTest {
    private static final int PROGRAM = 0x2000_0042;
    private static final int RESULT_AT = 7 * Integer.BYTES;

    private final AtomicInteger count = new AtomicInteger();
    private TcpRpcServer server;

    /** Returns how often it was called. */
    private final RpcProgram counting =
            new RpcProgram() {
                @Override
                public ProgramId id() {
                    return new ProgramId(PROGRAM, 1);
                }

                @Override
                public AcceptStatus call(RpcRequest request, XdrWriter results)
                        throws XdrException {
                    request.arguments().finish();
                    results.uint32(count.incrementAndGet());
                    return AcceptStatus.SUCCESS;
                }
            };

    @BeforeEach
    void serve() throws Exception {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(counting),
                        TcpRpcOptions.DEFAULT);
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Calls with the first XID of a run, and returns the result. */
    private static int call(Socket socket) throws IOException {
        var out = new DataOutputStream(socket.getOutputStream());
        int[] words = {1 << 31 | 40, 1, 0, 2, PROGRAM, 1, 1, 0, 0, 0, 0};
        for (int word : words) {
            out.writeInt(word);
        }
        var in = new DataInputStream(socket.getInputStream());
        byte[] reply = in.readNBytes(RESULT_AT + Integer.BYTES);
        assertEquals(RESULT_AT + Integer.BYTES, reply.length);
        return reply[reply.length - 1];
    }

    private Socket connect() throws IOException {
        return new Socket(server.address().getAddress(), server.address().getPort());
    }

    @Test
    void theFirstCallOfEachRunIsCarriedOut() throws Exception {
        for (int run = 1; run <= 3; run++) {
            int result;
            do {
                // The server may not have read the end of the last connection yet.
                try (var socket = connect()) {
                    result = call(socket);
                }
            } while (result < run);
            assertEquals(run, result);
        }
    }

    @Test
    void aClientThatLostItsConnectionGetsTheReplyAgain() throws Exception {
        try (var socket = connect()) {
            assertEquals(1, call(socket));
            socket.setSoLinger(true, 0);
        }
        try (var socket = connect()) {
            assertEquals(1, call(socket));
        }
    }
}
