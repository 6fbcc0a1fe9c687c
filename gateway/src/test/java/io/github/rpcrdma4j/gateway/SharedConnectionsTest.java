package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.PrivilegedPorts;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.session.FarClients;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: no client of a gateway keeps others from the server. Method: clients on RDMA from several
 * hosts, and a server on TCP.
 */
class SharedConnectionsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String GREEDY = "192.0.2.1";
    private static final String HONEST = "192.0.2.2";
    private static final int CONNECTIONS = 4;
    private static final GatewayLimits LIMITS =
            GatewayLimits.DEFAULT.withConnectionsMax(CONNECTIONS);
    private static final int NFS = 100003;
    private static final int NLM = 100021;

    /** NULL. */
    private static final int QUICK = 0;

    /** GETATTR. */
    private static final int HELD = 1;

    /** Answers NULL at once, and others when it may. */
    private static final class Holding implements RpcProgram {
        final Semaphore begun = new Semaphore(0);
        final Semaphore mayEnd = new Semaphore(0);

        @Override
        public ProgramId id() {
            return new ProgramId(NFS, 3);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            if (request.procedure() == HELD) {
                begun.release();
                mayEnd.acquire();
                results.uint32(1);
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private final IwarpProvider provider = new IwarpProvider();
    private final Holding program = new Holding();
    private final LogRecords log = new LogRecords(Gateway.class);
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** The connections to the server that have begun to be opened. */
    private final LongAdder connecting = new LongAdder();

    private CountDownLatch mayConnect = new CountDownLatch(0);
    private volatile InetAddress from;
    private TcpRpcServer server;
    private Gateway service;
    private RpcRdmaServer gateway;

    @BeforeEach
    void serve() throws Exception {
        server = TcpRpcServer.listen(ANY, List.of(program), TcpRpcOptions.DEFAULT);
        serve(false);
    }

    private void serve(boolean isPrivileged) throws Exception {
        var upstream =
                new TcpUpstream(server.address(), DEADLINE, LIMITS.messageMax(), isPrivileged);
        serve(
                (client, mayBePrivileged, callBacks, ended) -> {
                    connecting.increment();
                    mayConnect.await();
                    return upstream.connect(client, mayBePrivileged, callBacks, ended);
                });
    }

    private void serve(Upstream upstream) throws Exception {
        service = new Gateway(upstream, LIMITS);
        gateway =
                LIMITS.rdmaSettings(RpcRdmaServer.builder())
                        .provider(new FarClients(provider, _ -> from))
                        .address(ANY)
                        .calls(service)
                        .start();
    }

    @AfterEach
    void stop() throws Exception {
        mayConnect.countDown();
        program.mayEnd.release(1000);
        for (var each : opened) {
            each.close();
        }
        gateway.close();
        Eventually.await(DEADLINE, () -> server.openConnections() == 0);
        server.close();
        log.close();
    }

    private RpcRdmaClient connect(String host) throws Exception {
        from = InetAddress.ofLiteral(host);
        var client = RpcRdmaClient.builder().provider(provider).connect(gateway.address());
        opened.add(client);
        return client;
    }

    private static RpcCall call(int program, int procedure) {
        return new RpcCall(
                program,
                3,
                procedure,
                out -> {
                    if (procedure == HELD) {
                        out.opaque(new byte[16]);
                    }
                },
                100);
    }

    private static void succeeds(RpcRdmaClient client) throws Exception {
        client.call(call(NFS, QUICK), DEADLINE).close();
    }

    /** Has a connection whose call is in progress at the server. */
    private CompletableFuture<Integer> hold(String host) throws Exception {
        var held = connect(host).callAsync(call(NFS, HELD), DEADLINE, XdrReader::uint32);
        assertTrue(program.begun.tryAcquire(DEADLINE.toSeconds(), TimeUnit.SECONDS), "not in time");
        return held;
    }

    @Test
    void aClientWithoutCallsTakesNoConnection() throws Exception {
        for (int i = 0; i < 3 * CONNECTIONS; i++) {
            connect(GREEDY);
        }
        var refused =
                assertThrows(
                        RpcException.Refused.class,
                        () -> connect(GREEDY).call(call(NLM, QUICK), DEADLINE));
        assertEquals(AcceptStatus.PROG_UNAVAIL, refused.status());
        succeeds(connect(HONEST));
        assertEquals(1, server.statistics().connectionsOpened());
    }

    @Test
    void idleConnectionsOfOneHostMakeRoom() throws Exception {
        var honest = connect(HONEST);
        succeeds(honest);
        for (int i = 0; i < 3 * CONNECTIONS; i++) {
            succeeds(connect(GREEDY));
        }
        Eventually.await(DEADLINE, () -> server.openConnections() <= CONNECTIONS);
        succeeds(honest);
        succeeds(connect("192.0.2.3"));
        succeeds(honest);
    }

    @Test
    void busyConnectionsOfOneHostMakeRoom() throws Exception {
        var held = new ArrayList<CompletableFuture<Integer>>();
        for (int i = 0; i < CONNECTIONS; i++) {
            held.add(hold(GREEDY));
        }
        var honest = hold(HONEST);
        Eventually.await(DEADLINE, () -> held.getFirst().isCompletedExceptionally());
        assertThrows(RpcException.class, () -> succeeds(connect(GREEDY)));
        Eventually.await(DEADLINE, () -> log.messages().size() == 1);
        assertTrue(
                log.messages()
                        .getFirst()
                        .matches(
                                "a connection was refused: 192\\.0\\.2\\.1:[0-9]+: its host has its"
                                        + " share of the 4 connections to the server"),
                log.messages()::toString);
        assertEquals(1, service.statistics().connectionsFailed());
        program.mayEnd.release(1000);
        assertEquals(1, honest.get());
        for (var each : held.subList(1, CONNECTIONS)) {
            assertEquals(1, each.get());
        }
    }

    /**
     * Goal: a user of the machine of the gateway, who has all of 127.0.0.0/8, is not many hosts.
     */
    @Test
    void allAddressesOfLoopbackAreOneHost() throws Exception {
        for (int i = 1; i <= CONNECTIONS; i++) {
            hold("127.0.0." + i);
        }
        succeeds(connect(HONEST));
        assertThrows(RpcException.class, () -> succeeds(connect("::1")));
    }

    /**
     * Goal: a host whose clients leave while the gateway connects for them has no more connections
     * than its share, and leaves others a part of those that outlive their clients.
     */
    @Test
    void aConnectionHasItsPlaceUntilItHasEnded() throws Exception {
        mayConnect = new CountDownLatch(1);
        int most = CONNECTIONS + GatewayLimits.DRAINING_MAX / 2;
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (connecting.sum() < most) {
            assertTrue(System.nanoTime() < end, "not in time");
            leaveWhileConnecting(GREEDY);
        }
        for (int i = 0; i < GatewayLimits.DRAINING_MAX; i++) {
            leaveWhileConnecting(GREEDY);
        }
        assertEquals(most, connecting.sum());
        leaveWhileConnecting(HONEST);
        assertEquals(most + 1, connecting.sum());
        mayConnect.countDown();
        Eventually.await(DEADLINE, () -> server.openConnections() == 0);
        succeeds(connect(HONEST));
    }

    /** Makes a call for which the gateway connects, or which it refuses, and leaves. */
    private void leaveWhileConnecting(String host) throws Exception {
        long before = connecting.sum();
        try (var client = connect(host)) {
            var call = client.callAsync(call(NFS, HELD), DEADLINE, XdrReader::uint32);
            Eventually.await(DEADLINE, () -> connecting.sum() > before || call.isDone());
        }
    }

    /** Goal: a server that demands such ports does not refuse the calls of clients in silence. */
    @Test
    void aClientIsRefusedIfNoPortBelow1024CanBeHad() throws Exception {
        Assumptions.assumeFalse(PrivilegedPorts.areUsable());
        gateway.close();
        serve(true);
        assertThrows(RpcException.class, () -> succeeds(connect(HONEST)));
        Eventually.await(DEADLINE, () -> log.messages().size() == 1);
        assertTrue(
                log.messages().getFirst().endsWith(": no port below 1024 can be had"),
                log.messages()::toString);
        assertEquals(0, server.statistics().connectionsOpened());
    }
}
