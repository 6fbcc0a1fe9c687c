package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Goal: a setting out of its range is refused by its name, and all others are accepted. */
@Timeout(60)
class SettingsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static RpcRdmaServerBuilder server() {
        return RpcRdmaServer.builder()
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .program(new PatternProgram(1, 1));
    }

    private static void refuses(String setting, Executable action) {
        var refused = assertThrows(IllegalArgumentException.class, action);
        assertTrue(refused.getMessage().startsWith(setting), refused.getMessage());
    }

    private static void connect(RpcRdmaClientBuilder builder) throws Exception {
        builder.connect("127.0.0.1", 1).close();
    }

    @Test
    void namesTheSettingOfAClientThatIsOutOfItsRange() {
        refuses("credits", () -> connect(RpcRdmaClient.builder().credits(0)));
        refuses("callBackCredits", () -> connect(RpcRdmaClient.builder().callBackCredits(0)));
        refuses(
                "inlineThresholds: send",
                () -> connect(RpcRdmaClient.builder().inlineThresholds(1000, 1024)));
        refuses(
                "inlineThresholds: receive",
                () -> connect(RpcRdmaClient.builder().inlineThresholds(1024, 1000)));
        refuses("segmentMax", () -> connect(RpcRdmaClient.builder().segmentMax(0)));
        refuses(
                "connectTimeout",
                () -> connect(RpcRdmaClient.builder().connectTimeout(Duration.ZERO)));
        refuses(
                "keepAlive",
                () -> connect(RpcRdmaClient.builder().keepAlive(Duration.ofSeconds(-1))));
        refuses(
                "idleProbe",
                () -> connect(RpcRdmaClient.builder().idleProbe(Duration.ofSeconds(-1))));
        refuses(
                "idleProbe",
                () ->
                        connect(
                                RpcRdmaClient.builder()
                                        .keepAlive(Duration.ZERO)
                                        .idleProbe(Duration.ofSeconds(1))));
    }

    @Test
    void namesTheSettingOfAServerThatIsOutOfItsRange() {
        refuses("fetchedBytesPerCall", server().fetchedBytesPerCall(0)::start);
        refuses("connectionsMax", server().connectionsMax(0)::start);
        refuses("idleTimeout", server().idleTimeout(Duration.ZERO)::start);
    }

    @Test
    void someSettingsOfAServerAreCheckedAtOnce() {
        refuses("limitsPerClient", () -> server().limitsPerClient(0, 1, 1L << 30));
        refuses("stallTimeouts", () -> server().stallTimeouts(Duration.ZERO, TIMEOUT));
        refuses("keptMemory", () -> server().keptMemory(-1));
        refuses("pollers", () -> server().pollers(0));
    }

    /** Method: a listener that never answers a connection request. */
    @Test
    void givesUpASilentServerAfterTheConnectTimeout() throws Exception {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var builder = RpcRdmaClient.builder().connectTimeout(Duration.ofMillis(100));
            var address = (InetSocketAddress) silent.getLocalSocketAddress();
            // The default would take longer.
            assertTimeout(
                    Duration.ofSeconds(8),
                    () ->
                            assertThrows(
                                    RpcException.Unreachable.class,
                                    () -> builder.connect(address)));
        }
    }

    /** Goal: a server without an address is where a client of NFS over RDMA looks for it. */
    @Test
    void listensOnThePortOfNfsOnAllInterfacesByDefault() {
        var parts = RpcRdmaServer.builder().program(new PatternProgram(1, 1)).parts();
        assertEquals(List.of(new InetSocketAddress(20049)), parts.addresses());
    }

    @Test
    void keepsAsMuchFreeMemoryAsItMay() {
        int bytes = 1 << 16;
        for (int kept : new int[] {0, bytes}) {
            var pool = server().keptMemory(kept).parts().pool();
            pool.lease(bytes).close();
            assertEquals(kept, pool.kept());
        }
    }

    @Test
    void aServerThatKeepsNoMemoryServesCalls() throws Exception {
        try (var server = server().keptMemory(0).start();
                var client = RpcRdmaClient.builder().connect(server.address())) {
            for (int i = 0; i < 3; i++) {
                client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
            }
        }
    }

    /** Goal: a setting that has no effect on a client does not restrict its other settings. */
    @Test
    void checksTheLimitsPerClientOnlyAtAServer() throws Exception {
        refuses("limitsPerClient", server().credits(16384).inlineThresholds(5120, 65536)::start);
        try (var server = server().start();
                var client =
                        RpcRdmaClient.builder()
                                .credits(16384)
                                .inlineThresholds(5120, 65536)
                                .connect(server.address())) {
            client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
        }
    }
}
