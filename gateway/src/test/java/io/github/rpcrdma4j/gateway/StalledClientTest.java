package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: clients that send calls and never read hold bounded memory, and delay no other client. */
class StalledClientTest {
    private static final int MIB = 1 << 20;
    private static final int CONNECTIONS = 8;
    private static final int CALLS_PER_CONNECTION = 100;
    private static final int HONEST_CALLS = 50;
    private static final long REPLY_BYTES = 16L * MIB;
    private static final int STALLED_CALLS_MAX = 7;

    /** What connections hold beside replies: read buffers, records, and kept memory. */
    private static final long OTHER_BYTES = 32L * MIB;

    private static final int PATIENCE_MILLIS = 20_000;
    private static final Duration DEADLINE = Duration.ofMillis(PATIENCE_MILLIS);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final GatewayLimits LIMITS =
            new GatewayLimits(MIB + (64 << 10), Duration.ofHours(1), 64, REPLY_BYTES, 96);

    private final PatternProgram program = new PatternProgram(1, 1);
    private final List<Socket> sockets = new ArrayList<>();

    /** What other tests have left in the budget of the process, in bytes. */
    private long usedBefore;

    private TcpRpcServer server;
    private Gateway service;
    private TcpRpcServer gateway;

    @BeforeEach
    void serve() throws Exception {
        usedBefore = MemoryBudget.process().used();
        server = TcpRpcServer.listen(ANY, List.of(program), TcpRpcOptions.DEFAULT);
        service =
                ReadableGateway.of(
                        new TcpUpstream(server.address(), DEADLINE, LIMITS),
                        LIMITS,
                        PatternProgram.PROGRAM);
        gateway = TcpRpcServer.listen(ANY, service, LIMITS.tcpOptions());
    }

    @AfterEach
    void everythingIsGivenBack() throws Exception {
        for (var each : sockets) {
            each.close();
        }
        Eventually.await(
                DEADLINE, () -> gateway.openConnections() == 0 && server.openConnections() == 0);
        Eventually.await(DEADLINE, () -> service.statistics().callsPassing() == 0);
        assertEquals(0, service.statistics().replyBytes());
        gateway.close();
        server.close();
        LeasedMemory.requireNone(gateway::leasedMemory);
        LeasedMemory.requireNone(server::leasedMemory);
    }

    private Socket open(String from) throws IOException {
        var socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(64 << 10);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(gateway.address(), PATIENCE_MILLIS);
        return socket;
    }

    /** Returns a call of FETCH for 1 MiB, as a record. */
    private static byte[] fetch(int xid) {
        int words = 11;
        var out = ByteBuffer.allocate(4 + 4 * words).putInt(1 << 31 | 4 * words);
        out.putInt(xid).putInt(0).putInt(CallHeader.RPC_VERSION);
        out.putInt(PatternProgram.PROGRAM).putInt(1).putInt(PatternProgram.FETCH);
        out.putInt(RawAuth.NONE.flavor()).putInt(0).putInt(RawAuth.NONE.flavor()).putInt(0);
        return out.putInt(MIB).array();
    }

    @Test
    void aClientThatDoesNotReadHoldsBoundedMemory() throws Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            var out = open("127.0.0.1").getOutputStream();
            for (int xid = 0; xid < CALLS_PER_CONNECTION; xid++) {
                out.write(fetch(xid));
            }
        }
        Eventually.await(DEADLINE, () -> service.statistics().callsWaiting() > CONNECTIONS);
        long most = 0;
        var honest = open("127.0.0.2");
        var in = new DataInputStream(honest.getInputStream());
        for (int xid = 0; xid < HONEST_CALLS; xid++) {
            honest.getOutputStream().write(fetch(xid));
            int length = in.readInt() & Integer.MAX_VALUE;
            assertEquals(xid, in.readInt());
            in.readFully(new byte[length - 4]);
            assertTrue(service.statistics().replyBytes() <= REPLY_BYTES);
            most = Math.max(most, MemoryBudget.process().used());
        }
        long own = most - usedBefore;
        assertTrue(own <= REPLY_BYTES + OTHER_BYTES, own + " bytes");
        // The thread that sent the last reply gives its room back only then. The others hold half
        // of the room, less what one more call would take.
        Eventually.await(DEADLINE, () -> service.statistics().callsPassing() <= STALLED_CALLS_MAX);
        int held = service.statistics().callsPassing();
        assertTrue(held >= STALLED_CALLS_MAX - 1, held + " calls");
    }
}
