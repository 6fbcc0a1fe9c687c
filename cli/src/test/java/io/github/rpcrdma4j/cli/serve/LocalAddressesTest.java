package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: an address that a route alone makes local is of this machine. Method: a process in a
 * network namespace with such a route, which only root can make.
 */
class LocalAddressesTest {
    private static final String SET_UP =
            "ip link set lo up && ip route add local 198.51.100.0/24 dev lo && exec \"$@\"";

    /** Prints whose a connection is, while it is open and when it is reset; then of a stranger. */
    static final class Identifying {
        private Identifying() {}

        /**
         * @param arguments a directory
         */
        public static void main(String[] arguments) throws Exception {
            var export = new Export("/data", Path.of(arguments[0]), false);
            try (var nfs = new NfsServer(List.of(export), HandleKey.random());
                    var server = ServerSocketChannel.open().bind(at("198.51.100.1"))) {
                var identifier = nfs.programs().getFirst().identifier().orElseThrow();
                var here = (InetSocketAddress) server.getLocalAddress();
                var client = SocketChannel.open();
                client.bind(at("198.51.100.7")).connect(here);
                try (var _ = server.accept()) {
                    var there = (InetSocketAddress) client.getLocalAddress();
                    System.out.println(identifier.identify(there, Optional.of(here)).process());
                    client.setOption(StandardSocketOptions.SO_LINGER, 0);
                    client.close();
                    System.out.println(identifier.identify(there, Optional.of(here)).process());
                }
                var stranger = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 700);
                System.out.println(identifier.identify(stranger, Optional.of(here)).process());
            }
        }

        private static InetSocketAddress at(String address) {
            return new InetSocketAddress(InetAddress.ofLiteral(address), 0);
        }
    }

    @Test
    void anAddressThatARouteMakesLocalIsOfThisMachine(@TempDir Path directory) throws Exception {
        assumeTrue(canMakeNamespaces(), "only root can make a network namespace");
        var printed = directory.resolve("printed");
        var process =
                new ProcessBuilder(
                                "unshare",
                                "--net",
                                "sh",
                                "-c",
                                SET_UP,
                                "sh",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Identifying.class.getName(),
                                directory.toString())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .redirectOutput(printed.toFile())
                        .start();
        assertEquals(0, process.waitFor());
        assertEquals(
                List.of("Local[uid=0]", "Unknown[]", "Elsewhere[]"), Files.readAllLines(printed));
    }

    private static boolean canMakeNamespaces() throws InterruptedException {
        try {
            return new ProcessBuilder("unshare", "--net", "sh", "-c", SET_UP, "sh", "true")
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException _) {
            return false;
        }
    }
}
