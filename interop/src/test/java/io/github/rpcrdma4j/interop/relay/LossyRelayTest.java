package io.github.rpcrdma4j.interop.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LossyRelayTest {
    private static final int PROGRAM = 0x2000_4711;
    private static final Duration LONG = Duration.ofSeconds(20);

    private final Queue<Integer> carriedOut = new ConcurrentLinkedQueue<>();

    private final class Counting implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            if (request.procedure() == Nfs4Binding.COMPOUND) {
                CompoundArguments.decode(request.arguments());
            }
            request.arguments().finish();
            carriedOut.add(request.procedure());
            return AcceptStatus.SUCCESS;
        }
    }

    private static RpcCall call(int procedure) {
        return new RpcCall(PROGRAM, 1, procedure, _ -> {}, 0);
    }

    @Test
    void losesTheReplyToACallThatWasCarriedOut() throws Exception {
        var provider = new IwarpProvider();
        var loopback = InetAddress.getLoopbackAddress();
        try (var server =
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .address(new InetSocketAddress(loopback, 0))
                                .program(new Counting())
                                .start();
                var relay = new LossyRelay(loopback.getHostAddress(), server.address())) {
            relay.loseReplyTo(7);
            try (var client = connect(provider, relay)) {
                client.call(call(5), LONG).close();
                assertThrows(RpcException.ConnectionLost.class, () -> client.call(call(7), LONG));
            }
            assertEquals(List.of(5, 7), List.copyOf(carriedOut));
            assertEquals(1, relay.lost());
            try (var client = connect(provider, relay)) {
                client.call(call(7), LONG).close();
            }
            assertEquals(1, relay.lost());
        }
    }

    private static RpcCall compound(Arguments operation) {
        var tag = OpaqueName.of(new byte[0]);
        var arguments = new CompoundArguments(tag, 2, List.of(operation));
        return new RpcCall(PROGRAM, 1, Nfs4Binding.COMPOUND, arguments::encode, 0);
    }

    @Test
    void losesTheReplyToACompoundWithAnOperation() throws Exception {
        var provider = new IwarpProvider();
        var loopback = InetAddress.getLoopbackAddress();
        try (var server =
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .address(new InetSocketAddress(loopback, 0))
                                .program(new Counting())
                                .start();
                var relay = new LossyRelay(loopback.getHostAddress(), server.address());
                var client = connect(provider, relay)) {
            relay.loseReplyTo(Opcode.LOOKUPP);
            client.call(compound(new HandleArguments.PutRootFh()), LONG).close();
            assertEquals(0, relay.lost());
            assertThrows(
                    RpcException.ConnectionLost.class,
                    () -> client.call(compound(new HandleArguments.LookupP()), LONG));
            assertEquals(List.of(1, 1), List.copyOf(carriedOut));
            assertEquals(1, relay.lost());
        }
    }

    @Test
    void keepsNothingOfAConnectionWhoseServerIsNotThere() throws Exception {
        var loopback = InetAddress.getLoopbackAddress();
        // A bound socket that does not listen: connections to it are refused.
        try (var bound = new Socket()) {
            bound.bind(new InetSocketAddress(loopback, 0));
            var server = new InetSocketAddress(loopback, bound.getLocalPort());
            try (var relay = new LossyRelay(loopback.getHostAddress(), server);
                    var client = new Socket(loopback, relay.port())) {
                assertEquals(-1, client.getInputStream().read());
                assertEquals(0, relay.openSockets());
            }
        }
    }

    private static RpcRdmaClient connect(IwarpProvider provider, LossyRelay relay)
            throws Exception {
        return RpcRdmaClient.builder()
                .provider(provider)
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), relay.port()));
    }
}
