package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: calls both ways pass from TCP over RDMA to TCP, through two gateways. */
class TwoGatewaysTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int CALLS_BACK = 0x2000_0098;
    private static final long MAX = 1 << 20;

    /** Procedure 1 sends its argument to the client's program, and returns the answer. */
    private static final class CallingBack implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(CALLS_BACK, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            var data = request.arguments().opaque(MAX);
            var back = request.reverse().orElseThrow().client(new Credential.None());
            try (var reply = back.call(PatternProgram.swap(data), DEADLINE)) {
                results.opaque(reply.results().opaque(MAX));
                return AcceptStatus.SUCCESS;
            } catch (RpcException.Refused refused) {
                return refused.status();
            } catch (RpcException _) {
                return AcceptStatus.SYSTEM_ERR;
            }
        }
    }

    private final IwarpProvider provider = new IwarpProvider();
    private final PatternProgram program = new PatternProgram(1, 1);
    private TcpRpcServer server;
    private RpcRdmaServer toTcp;
    private TcpRpcServer toRdma;
    private TcpRpcClient client;

    @BeforeEach
    void connect() throws Exception {
        server =
                TcpRpcServer.listen(
                        ANY, List.of(program, new CallingBack()), TcpRpcOptions.DEFAULT);
        toTcp =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(ANY)
                        .calls(
                                ReadableGateway.of(
                                        new TcpUpstream(
                                                server.address(), DEADLINE, GatewayLimits.DEFAULT),
                                        GatewayLimits.DEFAULT,
                                        PatternProgram.PROGRAM,
                                        CALLS_BACK))
                        .start();
        toRdma =
                TcpRpcServer.listen(
                        ANY,
                        ReadableGateway.of(
                                new RdmaUpstream(
                                        toTcp.address(),
                                        () -> RpcRdmaClient.builder().provider(provider)),
                                GatewayLimits.DEFAULT,
                                PatternProgram.PROGRAM,
                                CALLS_BACK),
                        TcpRpcOptions.DEFAULT);
        client =
                TcpRpcClient.connect(
                        toRdma.address(),
                        new Credential.Sys(1, "box", 2, 3, List.of(4)),
                        List.of(new PatternProgram(1, 1)),
                        DEADLINE);
    }

    @AfterEach
    void everythingIsGivenBack() {
        client.close();
        toRdma.close();
        toTcp.close();
        server.close();
        LeasedMemory.requireNone(client::leasedMemory);
        LeasedMemory.requireNone(toRdma::leasedMemory);
        LeasedMemory.requireNone(toTcp::leasedMemory);
        LeasedMemory.requireNone(server::leasedMemory);
    }

    @Test
    void passesCallsAndRepliesOfAllLengths() throws Exception {
        for (int size : new int[] {0, 1, 3, 4, 1000, 4096, 65_536, 1 << 20}) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            var data = MemorySegment.ofArray(bytes);
            try (var reply = client.call(PatternProgram.swap(data), DEADLINE)) {
                assertEquals(-1, data.mismatch(reply.results().bulk(MAX)));
                reply.results().finish();
            }
        }
        assertEquals(1, server.statistics().connectionsOpened());
    }

    @Test
    void passesCallsOfTheServer() throws Exception {
        for (int size : new int[] {0, 5, 1000, 3000}) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            try (var reply = client.call(echo(bytes), DEADLINE)) {
                assertEquals(
                        -1, MemorySegment.ofArray(bytes).mismatch(reply.results().opaque(MAX)));
            }
        }
    }

    private static RpcCall echo(byte[] bytes) {
        return new RpcCall(CALLS_BACK, 1, 1, out -> out.opaque(bytes), MAX);
    }

    /** Goal: the server learns at once that its call does not fit, and the connection goes on. */
    @Test
    void aCallOfTheServerThatDoesNotFitIsRefused() throws Exception {
        var refused =
                assertThrows(
                        RpcException.Refused.class,
                        () -> client.call(echo(new byte[10_000]), DEADLINE));
        assertEquals(AcceptStatus.SYSTEM_ERR, refused.status());
        client.call(PatternProgram.nullCall(), DEADLINE).close();
    }

    @Test
    void aLostServerEndsAllConnections() {
        server.close();
        assertThrows(
                RpcException.ConnectionLost.class,
                () -> client.call(PatternProgram.nullCall(), DEADLINE));
    }
}
