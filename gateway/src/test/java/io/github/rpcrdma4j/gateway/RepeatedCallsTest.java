package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a call that a client sends again on another connection runs once, if that can be known. */
class RepeatedCallsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int XID = 77;
    private static final int REMOVE = Procedure.REMOVE.number();

    private final CountingProgram program = new CountingProgram();
    private final IwarpProvider provider = new IwarpProvider();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private TcpRpcServer server;
    private Gateway service;
    private TcpRpcServer gateway;
    private RpcRdmaServer rdmaGateway;

    @BeforeEach
    void serve() throws Exception {
        server = TcpRpcServer.listen(ANY, List.of(program), TcpRpcOptions.DEFAULT);
        service =
                new Gateway(
                        new TcpUpstream(server.address(), DEADLINE, GatewayLimits.DEFAULT),
                        GatewayLimits.DEFAULT);
        gateway = TcpRpcServer.listen(ANY, service, GatewayLimits.DEFAULT.tcpOptions());
        rdmaGateway =
                GatewayLimits.DEFAULT
                        .rdmaSettings(RpcRdmaServer.builder())
                        .provider(provider)
                        .address(ANY)
                        .calls(service)
                        .start();
    }

    @AfterEach
    void everythingIsGivenBack() {
        program.mayEnd.release(100);
        threads.close();
        gateway.close();
        rdmaGateway.close();
        server.close();
        LeasedMemory.requireNone(gateway::leasedMemory);
        LeasedMemory.requireNone(rdmaGateway::leasedMemory);
        LeasedMemory.requireNone(server::leasedMemory);
        Eventually.await(DEADLINE, () -> service.statistics().callsPassing() == 0);
    }

    private static Credential.Sys user(int stamp, int uid) {
        return new Credential.Sys(stamp, "box", uid, 3, List.of(4));
    }

    private TcpRpcClient client() throws Exception {
        return client(user(1, 2));
    }

    private TcpRpcClient client(Credential credential) throws Exception {
        return TcpRpcClient.connect(gateway.address(), credential, DEADLINE);
    }

    private static RpcCall remove(int xid) {
        return CountingProgram.call(3, REMOVE, xid, out -> out.opaque(new byte[9]));
    }

    private static int count(RpcClient client, RpcCall call) throws Exception {
        try (var reply = client.call(call, DEADLINE)) {
            int count = reply.results().uint32();
            reply.results().finish();
            return count;
        }
    }

    /**
     * Makes the call of {@link #remove}, and loses its connection while it is carried out. A client
     * that closes the connection in order might do so behind the reply, as the gateway sees it.
     */
    private void loseWhileItRuns(int xid) throws Exception {
        int sys = 1;
        var credential =
                Words.of(1).opaque("box".getBytes(StandardCharsets.US_ASCII)).word(2, 3, 1, 4);
        var socket = RecordSocket.connect(gateway.address());
        socket.send(
                Words.of(xid, 0, CallHeader.RPC_VERSION, CountingProgram.PROGRAM, 3, REMOVE, sys)
                        .opaque(credential.bytes())
                        .word(0, 0)
                        .opaque(new byte[9]));
        program.begun.await();
        socket.abort();
        Eventually.await(DEADLINE, () -> gateway.openConnections() == 0);
    }

    @Test
    void aRepetitionGetsTheFirstReply() throws Exception {
        try (var first = client();
                var second = client(user(99, 2))) {
            assertEquals(1, count(first, remove(XID)));
            assertEquals(1, count(second, remove(XID)), "the stamp of AUTH_SYS says nothing");
            assertEquals(2, count(second, remove(XID + 1)));
        }
        assertEquals(1, service.statistics().callsRepeated());
    }

    @Test
    void aCallThatDiffersInAnythingIsNoRepetition() throws Exception {
        try (var first = client();
                var second = client();
                var other = client(user(1, 3))) {
            assertEquals(1, count(first, remove(XID)));
            assertEquals(2, count(other, remove(XID)));
            assertEquals(
                    3,
                    count(
                            second,
                            CountingProgram.call(3, REMOVE, XID, out -> out.opaque(new byte[10]))));
            assertEquals(
                    4,
                    count(
                            second,
                            CountingProgram.call(
                                    3,
                                    Procedure.RMDIR.number(),
                                    XID,
                                    out -> out.opaque(new byte[9]))));
        }
    }

    @Test
    void aRepeatableCallIsPassedOnAgain() throws Exception {
        try (var first = client();
                var second = client()) {
            var call =
                    CountingProgram.call(
                            3, Procedure.GETATTR.number(), XID, out -> out.opaque(new byte[8]));
            assertEquals(1, count(first, call));
            assertEquals(2, count(second, call));
        }
    }

    /** Goal: a client loses its connection while its call is carried out, and sends it again. */
    @Test
    void aRepetitionWaitsForTheCallInProgress() throws Exception {
        program.mayEnd.drainPermits();
        loseWhileItRuns(XID);
        try (var second = client()) {
            var reply = threads.submit(() -> count(second, remove(XID)));
            Eventually.await(DEADLINE, () -> gateway.statistics().calls() == 2);
            program.mayEnd.release(100);
            assertEquals(1, reply.get(20, TimeUnit.SECONDS));
        }
        assertEquals(1, program.calls.get());
        assertEquals(1, service.statistics().callsRepeated());
    }

    /** Goal: a reply that came when the client had gone is kept for the client's repetition. */
    @Test
    void aReplyThatNoConnectionTookIsKept() throws Exception {
        program.mayEnd.drainPermits();
        loseWhileItRuns(XID);
        program.mayEnd.release(100);
        Eventually.await(DEADLINE, () -> server.openConnections() == 0);
        try (var second = client()) {
            assertEquals(1, count(second, remove(XID)));
        }
    }

    /** Goal: a client that counts XIDs from the same start gets no reply of its last run. */
    @Test
    void aClientThatLeftInOrderRepeatsNothing() throws Exception {
        try (var first = client()) {
            assertEquals(1, count(first, remove(XID)));
        }
        Eventually.await(DEADLINE, () -> server.openConnections() == 0);
        try (var second = client()) {
            assertEquals(2, count(second, remove(XID)));
        }
        Eventually.await(DEADLINE, () -> server.openConnections() == 0);
        try (var third = rdmaClient()) {
            assertEquals(3, count(third, remove(XID)));
        }
        Eventually.await(DEADLINE, () -> server.openConnections() == 0);
        try (var fourth = rdmaClient()) {
            assertEquals(4, count(fourth, remove(XID)));
        }
    }

    private RpcRdmaClient rdmaClient() throws Exception {
        return RpcRdmaClient.builder()
                .provider(provider)
                .credential(user(1, 2))
                .connect(rdmaGateway.address());
    }

    @Test
    void aRepetitionMayComeOverAnotherTransport() throws Exception {
        try (var first = rdmaClient();
                var second = client();
                var third = rdmaClient()) {
            assertEquals(1, count(first, remove(XID)));
            assertEquals(1, count(second, remove(XID)));
            assertEquals(1, count(third, remove(XID)));
        }
    }

    /** Goal: no error is invented, and no client waits for ever. */
    @Test
    void aCallWhoseOutcomeIsUnknownIsPassedOnAgain() throws Exception {
        program.mayEnd.drainPermits();
        try (var first = client()) {
            var lost = threads.submit(() -> count(first, remove(XID)));
            program.begun.await();
            Future<Integer> again;
            try (var second = client()) {
                again = threads.submit(() -> count(second, remove(XID)));
                Eventually.await(DEADLINE, () -> gateway.statistics().calls() == 2);
                var address = server.address();
                server.close();
                assertThrows(Exception.class, () -> lost.get(20, TimeUnit.SECONDS));
                assertThrows(Exception.class, () -> again.get(20, TimeUnit.SECONDS));
                program.mayEnd.release(100);
                server = TcpRpcServer.listen(address, List.of(program), TcpRpcOptions.DEFAULT);
            }
        }
        try (var third = client()) {
            assertEquals(2, count(third, remove(XID)));
        }
    }

    @Test
    void compoundsOfVersion40AreRemembered() throws Exception {
        try (var first = client();
                var second = client()) {
            assertEquals(1, count(first, compound(0, 28)));
            assertEquals(1, count(second, compound(0, 28)), "REMOVE");
            assertEquals(2, count(first, compound(1, 28)));
            assertEquals(3, count(second, compound(1, 28)), "version 4.1 has sessions");
            assertEquals(4, count(first, compound(0, 24)));
            assertEquals(5, count(second, compound(0, 24)), "PUTROOTFH");
        }
    }

    /** Returns a COMPOUND of one operation that has the same arguments as REMOVE, or none. */
    private static RpcCall compound(int minorVersion, int operation) {
        return CountingProgram.call(
                4,
                1,
                XID + minorVersion + operation,
                out -> compound(out, minorVersion, operation));
    }

    private static void compound(XdrWriter out, int minorVersion, int operation) {
        int putRootFh = 24;
        out.string("").uint32(minorVersion).uint32(2).uint32(putRootFh).uint32(operation);
        if (operation != putRootFh) {
            out.string("name");
        }
    }

    @Test
    void aClientLearnsThatTheServerIsLost() throws Exception {
        server.close();
        try (var client = client()) {
            assertThrows(RpcException.ConnectionLost.class, () -> count(client, remove(XID)));
        }
        Eventually.await(DEADLINE, () -> service.statistics().connectionsFailed() == 1);
    }
}
