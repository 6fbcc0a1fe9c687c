package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a server listens at several addresses as one server. */
@Timeout(60)
class SeveralListenersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static RpcRdmaServerBuilder server() {
        return RpcRdmaServer.builder().program(new PatternProgram(1, 1));
    }

    private static void ping(InetSocketAddress address) throws Exception {
        try (var client = RpcRdmaClient.builder().connect(address)) {
            client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
        }
    }

    @Test
    void answersAtEachAddress() throws Exception {
        try (var server = server().addresses(List.of(ANY_PORT, ANY_PORT)).start()) {
            var addresses = server.addresses();
            assertEquals(2, addresses.size());
            assertEquals(2, addresses.stream().distinct().count(), addresses::toString);
            assertEquals(addresses.getFirst(), server.address());
            for (var each : addresses) {
                ping(each);
            }
        }
    }

    /** Goal: an address more gives a client no room more. */
    @Test
    void countsTheConnectionsOfAClientAtAllAddressesTogether() throws Exception {
        long bytes = RpcRdmaOptions.DEFAULT.peerLimits().bytesMax();
        try (var server =
                        server().addresses(List.of(ANY_PORT, ANY_PORT))
                                .limitsPerClient(1, 16, bytes)
                                .start();
                var first = RpcRdmaClient.builder().connect(server.addresses().getFirst())) {
            first.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
            assertThrows(
                    RpcException.class,
                    () -> RpcRdmaClient.builder().connect(server.addresses().getLast()));
            assertEquals(1, server.openConnections());
        }
    }

    @Test
    void listensNowhereIfAnAddressIsTaken() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress free;
            try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                free = (InetSocketAddress) probe.getLocalSocketAddress();
            }
            var wanted = List.of(free, (InetSocketAddress) taken.getLocalSocketAddress());
            assertThrows(RdmaException.class, () -> server().addresses(wanted).start());
            try (var server = server().address(free).start()) {
                ping(server.address());
            }
        }
    }

    @Test
    void wantsAnAddress() {
        assertThrows(IllegalArgumentException.class, () -> server().addresses(List.of()));
    }
}
