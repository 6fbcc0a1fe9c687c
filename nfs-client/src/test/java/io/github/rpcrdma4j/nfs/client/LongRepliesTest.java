package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server over TCP does not decide how much memory its replies take. */
@Timeout(60)
class LongRepliesTest {
    private record Endless() implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(NfsVersion.PROGRAM, 4);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            results.opaque(new byte[3 << 20]);
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    void aReplyThatIsLongerThanAnyThatIsAskedForEndsTheConnection() throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var server =
                TcpRpcServer.listen(address, List.of(new Endless()), TcpRpcOptions.DEFAULT)) {
            var url = NfsUrl.parse("nfs://127.0.0.1:" + server.address().getPort() + "/data");
            var failure =
                    assertThrows(
                            RpcException.class,
                            () ->
                                    NfsClient.connect(
                                            url,
                                            ClientOptions.DEFAULT.withVersion(
                                                    NfsVersion.VERSION_4_2)));
            assertTrue(
                    failure.getMessage().contains("longer than the limit of 2097152 bytes"),
                    failure.getMessage());
        }
    }
}
