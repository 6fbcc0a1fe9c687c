package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: without an option, servers and clients use the port of NFS over RDMA, in all versions.
 * Method: processes in a network namespace of their own, where no other server has the port.
 */
class WellKnownPortTest {
    private static final int NFS = 100003;
    private static final int PORT = 20049;

    /** Makes a NULL call of each version of NFS to the port on this host. */
    static final class NullCalls {
        private NullCalls() {}

        public static void main(String... versions) throws Exception {
            var server = new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);
            try (var client =
                    RpcRdmaClient.builder().provider(new IwarpProvider()).connect(server)) {
                for (var version : versions) {
                    var call = new RpcCall(NFS, Integer.parseInt(version), 0, _ -> {}, 0);
                    client.call(call, Duration.ofSeconds(20)).close();
                }
            }
        }
    }

    private static boolean hasNetworkNamespaces() throws Exception {
        try {
            return new ProcessBuilder("unshare", "-rn", "ip", "link", "set", "lo", "up")
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noCommand) {
            return false;
        }
    }

    @Test
    @Tag("5666-12-2")
    @Tag("8166-6-1")
    @Tag("8267-6.3-1")
    @Tag("8267-9-1")
    void aServerIsFoundAtThePortOfNfsOverRdma() throws Exception {
        assumeTrue(hasNetworkNamespaces(), "this user cannot make network namespaces");
        try (var server = ServerProcess.inItsOwnNetwork("--nfs2")) {
            var enter = entering(server);
            var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
            var calls =
                    new ProcessBuilder(
                                    "sh",
                                    "-c",
                                    enter + " \"$@\"",
                                    "sh",
                                    java,
                                    "--enable-native-access=ALL-UNNAMED",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    NullCalls.class.getName(),
                                    "2",
                                    "3",
                                    "4")
                            .start();
            assertEquals(new CommandProcess.Ended(0, List.of()), CommandProcess.ended(calls));
            requireListed(server);
        }
    }

    private static String entering(ServerProcess server) {
        return "exec nsenter --preserve-credentials -U -n -t " + server.pid();
    }

    private static void requireListed(ServerProcess server, String... options) throws Exception {
        var words = new ArrayList<>(List.of("ls"));
        words.addAll(List.of(options));
        words.add("rdma://127.0.0.1/mem");
        var listed =
                CommandProcess.ofShell(
                        entering(server) + " \"$0\" \"$@\"", words.toArray(String[]::new));
        assertEquals(new CommandProcess.Ended(0, List.of()), listed);
    }

    /** No rpcbind runs in the network of the server. */
    @Test
    @Tag("8267-6.3-2")
    void aClientOfVersion4FindsTheServerWithoutRpcbind() throws Exception {
        assumeTrue(hasNetworkNamespaces(), "this user cannot make network namespaces");
        try (var server = ServerProcess.inItsOwnNetwork()) {
            requireListed(server, "--vers", "4.1");
            requireListed(server, "--vers", "4.2");
        }
    }
}
