package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a server calls back, and a client answers, as in the worked examples of RFC 8167, over real
 * sockets. Method: the test operates the other end while a call of the forward direction waits.
 */
class GoldenReverseTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 4096;
    private static final int XID = 0x0a0b_0c0d;
    private static final byte[] NO_DATA = {};

    private final RdmaProvider provider = new IwarpProvider();

    private RpcRdmaClient connect(InetSocketAddress server, int reverseCredits) throws Exception {
        return Connections.connect(
                provider,
                server,
                new Credential.None(),
                List.of(),
                new RpcDispatcher(List.of(new CallbackProgram())),
                RpcRdmaOptions.DEFAULT.toBuilder().callBackCredits(reverseCredits).build());
    }

    @ParameterizedTest
    @CsvSource({"EX-25, 2, EX-26, REPLIES", "EX-27, 32, EX-20, CHUNK_ERRORS"})
    @Tag("8167-2.4-1")
    @Tag("8167-5.2-1")
    @Tag("8167-5.3-2")
    void aClientAnswersWhileItWaitsForAReply(
            String example, int reverseCredits, String answer, Counter counter) throws Exception {
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting = threads.submit(() -> connect(listener.address(), reverseCredits));
            try (var server = ManualPeer.accept(provider, listener, NO_DATA, RECEIVE_BYTES);
                    var client = connecting.get()) {
                var call = EchoProgram.nullCall().withXid(XID);
                var waiting = threads.submit(() -> client.call(call, TIMEOUT));
                // The client sends first, because it opened the connection.
                assertEquals(XID, ByteBuffer.wrap(server.receive().bytes()).getInt());
                server.send(Golden.bytes(example));
                assertArrayEquals(Golden.bytes(answer), server.receive().bytes());
                server.send(Golden.bytes("EX-02"));
                waiting.get().close();
                assertEquals(1, client.reverseStatistics().value(counter));
            }
        }
    }

    /** Calls back before it answers, with the XID of the call that it serves. */
    private static final class CallsBack extends OneVersion {
        CallsBack() {
            super(ExampleProgram.PROGRAM, 3);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            var back = request.reverse().orElseThrow().client(new Credential.None());
            var call = new RpcCall(CallbackProgram.PROGRAM, 1, 0, _ -> {}, 0).withXid(XID);
            try (back;
                    var _ = back.call(call, TIMEOUT)) {
                return AcceptStatus.SUCCESS;
            } catch (RpcException failure) {
                return AcceptStatus.SYSTEM_ERR;
            }
        }
    }

    @Test
    @Tag("8167-2.4-1")
    @Tag("8167-5.1-2")
    void aServerCallsBackByTheXidOfTheCallThatItServes() throws Exception {
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new CallsBack()),
                                List.of(),
                                RpcRdmaOptions.DEFAULT.toBuilder()
                                        .credits(16)
                                        .callBackCredits(8)
                                        .build());
                var peer = ManualPeer.connect(provider, server.address(), NO_DATA, RECEIVE_BYTES)) {
            peer.send(Golden.bytes("EX-01"));
            assertArrayEquals(Golden.bytes("EX-25"), peer.receive().bytes());
            peer.send(Golden.bytes("EX-26"));
            assertArrayEquals(Golden.bytes("EX-02"), peer.receive().bytes());
        }
    }
}
