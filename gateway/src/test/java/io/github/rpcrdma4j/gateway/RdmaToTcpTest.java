package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: calls of RDMA clients reach a server on TCP as they are. */
class RdmaToTcpTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int MAX = 1 << 20;

    /** Returns the sum of the words behind its data, and the data's last byte. */
    private static final class Words implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Nfs4Binding.PROGRAM, Nfs4Binding.VERSION);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            var in = request.arguments();
            var data = in.opaque(MAX);
            int sum = 0;
            while (in.remaining() > 0) {
                sum += in.uint32();
            }
            results.uint32(sum).uint32(data.get(ValueLayout.JAVA_BYTE, data.byteSize() - 1));
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    void whatFollowsDataOfAnyLengthPasses() throws Exception {
        var provider = new IwarpProvider();
        try (var server = TcpRpcServer.listen(ANY, List.of(new Words()), TcpRpcOptions.DEFAULT);
                var gateway =
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .address(ANY)
                                .calls(
                                        new Gateway(
                                                new TcpUpstream(server.address(), DEADLINE),
                                                GatewayLimits.DEFAULT))
                                .start();
                var client =
                        RpcRdmaClient.builder()
                                .provider(provider)
                                .bindings(List.of(Nfs4Binding.BINDING))
                                .connect(gateway.address())) {
            for (int size : new int[] {100_000, 100_001, 100_002, 100_003}) {
                byte[] data = new byte[size];
                new Random(size).nextBytes(data);
                var call =
                        new RpcCall(
                                Nfs4Binding.PROGRAM,
                                Nfs4Binding.VERSION,
                                Nfs4Binding.COMPOUND,
                                out -> out.bulk(MemorySegment.ofArray(data)).uint32(5).uint32(6),
                                MAX);
                try (var reply = client.call(call, DEADLINE)) {
                    assertEquals(11, reply.results().uint32(), () -> size + " bytes");
                    assertEquals(data[size - 1], reply.results().uint32());
                }
            }
        }
    }
}
