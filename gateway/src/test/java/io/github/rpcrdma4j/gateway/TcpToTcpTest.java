package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.PassedCall;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a client finds no difference between a server and a gateway in front of it. */
class TcpToTcpTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final PatternProgram program = new PatternProgram(1, 1);
    private TcpRpcServer server;
    private TcpRpcServer gateway;
    private TcpRpcClient client;

    @BeforeEach
    void connect() throws Exception {
        server = TcpRpcServer.listen(ANY, List.of(program), TcpRpcOptions.DEFAULT);
        gateway =
                TcpRpcServer.listen(
                        ANY,
                        ReadableGateway.of(
                                new TcpUpstream(server.address(), DEADLINE, GatewayLimits.DEFAULT),
                                GatewayLimits.DEFAULT,
                                PatternProgram.PROGRAM),
                        GatewayLimits.DEFAULT.tcpOptions());
        client =
                TcpRpcClient.connect(
                        gateway.address(),
                        new Credential.Sys(1, "box", 2, 3, List.of(4)),
                        DEADLINE);
    }

    @AfterEach
    void everythingIsGivenBack() {
        program.letGo();
        client.close();
        gateway.close();
        server.close();
        LeasedMemory.requireNone(client::leasedMemory);
        LeasedMemory.requireNone(gateway::leasedMemory);
        LeasedMemory.requireNone(server::leasedMemory);
    }

    @Test
    void passesCallsAndRepliesOfAllLengths() throws Exception {
        for (int size : new int[] {0, 1, 3, 4, 1000, 65_536, 1 << 20}) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            var data = MemorySegment.ofArray(bytes);
            try (var reply = client.call(PatternProgram.swap(data), DEADLINE)) {
                assertEquals(-1, data.mismatch(reply.results().bulk(1 << 20)));
                reply.results().finish();
            }
        }
        assertEquals(1, server.statistics().connectionsOpened());
    }

    @Test
    void aTooLongCallEndsItsConnectionAlone() throws Exception {
        var data = MemorySegment.ofArray(new byte[(1 << 20) + (64 << 10)]);
        assertThrows(
                RpcException.ConnectionLost.class,
                () -> client.call(PatternProgram.store(data), DEADLINE));
        assertEquals(0, server.statistics().calls());
        try (var other = TcpRpcClient.connect(gateway.address(), new Credential.None(), DEADLINE)) {
            other.call(PatternProgram.nullCall(), DEADLINE).close();
        }
    }

    @Test
    void passesLongerMessagesIfTheLimitsAllow() throws Exception {
        var longer = GatewayLimits.DEFAULT.withMessageMax(5 << 20);
        var limits =
                new TcpRpcOptions(16, 16, 16, 16, 16, 16, 64 << 20, 5 << 20, DEADLINE, DEADLINE);
        try (var big = TcpRpcServer.listen(ANY, List.of(program), limits);
                var wide =
                        TcpRpcServer.listen(
                                ANY,
                                ReadableGateway.of(
                                        new TcpUpstream(big.address(), DEADLINE, longer),
                                        longer,
                                        PatternProgram.PROGRAM),
                                longer.tcpOptions());
                var other = TcpRpcClient.connect(wide.address(), new Credential.None(), DEADLINE)) {
            byte[] bytes = new byte[4 << 20];
            new Random(4).nextBytes(bytes);
            var data = MemorySegment.ofArray(bytes);
            try (var reply = other.call(PatternProgram.swap(data), DEADLINE)) {
                assertEquals(-1, data.mismatch(reply.results().bulk(4 << 20)));
            }
        }
    }

    /** Goal: the port is that of Linux clients, where the process may use it. */
    @Test
    void connectsFromAPrivilegedPortWhereItMay() throws Exception {
        try (var upstream = new ServerSocket(0, 1, ANY.getAddress())) {
            var server = (InetSocketAddress) upstream.getLocalSocketAddress();
            var settings = new TcpUpstream(server, DEADLINE, GatewayLimits.DEFAULT);
            var peer = new InetSocketAddress("192.0.2.7", 900);
            int[] ports = new int[2];
            for (int i = 0; i < ports.length; i++) {
                var connection =
                        settings.connect(
                                peer,
                                true,
                                new PassedCalls(
                                        (RpcTransport) null,
                                        null,
                                        CallRoom.unlimited().share(ClientAddress.of(peer)),
                                        _ -> {}),
                                () -> {});
                try (connection;
                        var accepted = upstream.accept()) {
                    ports[i] = accepted.getPort();
                }
            }
            assertEquals(settings.isPrivileged(), ports[0] < 1024);
            if (settings.isPrivileged()) {
                assertTrue(ports[0] >= 665, () -> ports[0] + "");
                assertEquals(ports[0], ports[1], "the client gets its port again");
            }
        }
    }

    @Test
    void passesRefusals() {
        refuses(AcceptStatus.PROC_UNAVAIL, PatternProgram.procedure(99));
        refuses(AcceptStatus.SYSTEM_ERR, PatternProgram.procedure(PatternProgram.FAIL));
        refuses(AcceptStatus.GARBAGE_ARGS, PatternProgram.procedure(PatternProgram.STORE));
        refuses(AcceptStatus.PROG_MISMATCH, call(PatternProgram.PROGRAM, 2));
        refuses(AcceptStatus.PROG_UNAVAIL, call(Nfs3.PROGRAM, 3));
    }

    private static RpcCall call(int program, int version) {
        return new RpcCall(program, version, 0, _ -> {}, 0);
    }

    private void refuses(AcceptStatus status, RpcCall call) {
        var refused = assertThrows(RpcException.Refused.class, () -> client.call(call, DEADLINE));
        assertEquals(status, refused.status());
    }

    @Test
    void aLostServerEndsTheConnectionOfTheClient() {
        server.close();
        assertThrows(
                RpcException.ConnectionLost.class,
                () -> client.call(PatternProgram.nullCall(), DEADLINE));
    }

    @Test
    void aClientIsTurnedAwayIfThereIsNoServer() throws Exception {
        server.close();
        try (var other = TcpRpcClient.connect(gateway.address(), new Credential.None(), DEADLINE)) {
            var lost =
                    assertThrows(
                            RpcException.ConnectionLost.class,
                            () -> other.call(PatternProgram.nullCall(), DEADLINE));
            assertTrue(lost.getMessage().contains("the connection to"), lost::getMessage);
        }
    }

    /** Goal: no client believes that the whole path is encrypted. */
    @Test
    void aClientThatAsksForTlsIsRefused() throws Exception {
        int authTls = 7;
        var protection =
                new PassedCall(
                        new RawAuth(authTls, MemorySegment.ofArray(new byte[0])),
                        RawAuth.NONE,
                        0,
                        false,
                        () -> {});
        try (var reply = client.call(PatternProgram.nullCall(), protection, DEADLINE)) {
            assertEquals(1, reply.results().uint32(), "MSG_DENIED");
            assertEquals(1, reply.results().uint32(), "AUTH_ERROR");
            assertEquals(ReplyHeader.AUTH_BADCRED, reply.results().uint32());
            reply.results().finish();
        }
        assertEquals(0, server.statistics().calls());
    }
}
