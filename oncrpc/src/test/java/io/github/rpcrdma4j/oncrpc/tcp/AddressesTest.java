package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Goal: each side of a connection knows the addresses of both. */
class AddressesTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");
    private static final InetAddress THERE = InetAddress.ofLiteral("127.0.0.2");

    private record Seen(InetAddress peer, Optional<InetAddress> local) {}

    private record Program(BlockingQueue<Seen> calls) implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(400_100, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            calls.add(
                    new Seen(
                            request.peer().getAddress(),
                            request.reverse()
                                    .flatMap(ReverseDirection::localAddress)
                                    .map(InetSocketAddress::getAddress)));
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    void theServerKnowsTheAddressThatItsClientHasChosen() throws Exception {
        var calls = new LinkedBlockingQueue<Seen>();
        try (var server =
                TcpRpcServer.listen(
                        new InetSocketAddress(0),
                        List.of(new Program(calls)),
                        TcpRpcOptions.DEFAULT)) {
            for (var from : List.of(HERE, THERE)) {
                for (var to : List.of(HERE, THERE)) {
                    try (var client =
                            TcpRpcClient.connect(
                                    new InetSocketAddress(to, server.address().getPort()),
                                    new Credential.None(),
                                    TcpClientOptions.within(DEADLINE).withFrom(from))) {
                        client.ping(400_100, 1, DEADLINE);
                        assertEquals(new Seen(from, Optional.of(to)), calls.take());
                    }
                }
            }
        }
    }

    @Test
    void anAddressOfAnotherHostIsNoAddressToConnectFrom() {
        var options =
                TcpClientOptions.within(DEADLINE).withFrom(InetAddress.ofLiteral("192.0.2.1"));
        assertThrows(
                RpcException.Unreachable.class,
                () ->
                        TcpRpcClient.connect(
                                new InetSocketAddress(HERE, 1), new Credential.None(), options));
    }
}
