package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a server over TCP listens at several addresses as one server. */
@Timeout(60)
class TcpListenersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static TcpRpcServer serve(InetSocketAddress... addresses) throws IOException {
        return TcpRpcServer.listen(
                List.of(addresses),
                new RpcDispatcher(List.of(new PatternProgram(1, 1))),
                TcpRpcOptions.DEFAULT);
    }

    private static TcpRpcClient connect(InetSocketAddress address) throws Exception {
        return TcpRpcClient.connect(address, new Credential.None(), TIMEOUT);
    }

    @Test
    void answersAtEachAddressAndCountsTheConnectionsTogether() throws Exception {
        try (var server = serve(ANY_PORT, ANY_PORT);
                var first = connect(server.addresses().getFirst());
                var second = connect(server.addresses().getLast())) {
            assertEquals(
                    2,
                    server.addresses().stream().distinct().count(),
                    server.addresses()::toString);
            assertEquals(server.addresses().getFirst(), server.address());
            for (var each : List.of(first, second)) {
                each.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
            }
            assertEquals(2, server.openConnections());
            assertEquals(1, server.clients());
        }
    }

    @Test
    void listensNowhereIfAnAddressIsTaken() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress free;
            try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                free = (InetSocketAddress) probe.getLocalSocketAddress();
            }
            var wrong = (InetSocketAddress) taken.getLocalSocketAddress();
            var refused = assertThrows(IOException.class, () -> serve(free, wrong));
            assertTrue(refused.getMessage().contains(HostPort.text(wrong)), refused::getMessage);
            try (var server = serve(free);
                    var client = connect(server.address())) {
                client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
            }
        }
    }

    @Test
    void wantsAnAddress() {
        assertThrows(IllegalArgumentException.class, TcpListenersTest::serve);
    }
}
