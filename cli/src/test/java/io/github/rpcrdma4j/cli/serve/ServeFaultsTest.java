package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Rpcrdma;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: serve continues without missing resources, or ends so that a supervisor notices. */
@Timeout(120)
class ServeFaultsTest {
    private static final Pattern TCP_PORT = Pattern.compile("mountport=(\\d+)");
    private static final Pattern REPORT =
            Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT[\\d:]+Z .* (\\d+|unknown) descriptors;");
    private static final int NFS = 100003;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int DESCRIPTORS = 120;

    private static int tcpPort(String printed) {
        var matcher = TCP_PORT.matcher(printed);
        assertTrue(matcher.find(), printed);
        return Integer.parseInt(matcher.group(1));
    }

    private static Thread thread(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void serveEndsWithStatusOneWhenOneOfItsThreadsFails() throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();
        var serving =
                new FutureTask<>(
                        () ->
                                Rpcrdma.commandLine()
                                        .setOut(new PrintWriter(out, true))
                                        .setErr(new PrintWriter(err, true))
                                        .execute(
                                                "serve",
                                                "mem:",
                                                "--listen",
                                                "127.0.0.1:0",
                                                "--tcp",
                                                "127.0.0.1:0"));
        Thread.ofPlatform().start(serving);
        Eventually.await(() -> out.toString().contains("Serving."));
        thread("tcp-accept-" + tcpPort(out.toString())).interrupt();
        assertEquals(1, serving.get());
        var lines = err.toString().lines().filter(each -> each.startsWith("rpcrdma: ")).toList();
        assertEquals(1, lines.size(), err::toString);
        assertTrue(lines.getFirst().startsWith("rpcrdma: the server failed: "), err::toString);
    }

    /** Goal: the server survives a client whose connections use up all descriptors. */
    @Test
    void serveOutlivesTheEndOfItsDescriptors() throws Exception {
        try (var server =
                ServerProcess.withDescriptors(
                        DESCRIPTORS,
                        "--listen",
                        "127.0.0.1:0",
                        "--tcp",
                        "127.0.0.1:0",
                        "--report",
                        "1")) {
            int port = tcpPort(String.join("\n", server.printed));
            // The test loads classes from directories, which takes descriptors.
            server.awaitLine(REPORT);
            callNull(port);
            var sockets = new ArrayList<Socket>();
            try {
                for (int i = 0; i < DESCRIPTORS + 20; i++) {
                    var socket = new Socket();
                    sockets.add(socket);
                    socket.connect(new InetSocketAddress("127.0.0.1", port), 20_000);
                }
                // While all of these connections exist, another client is served and reports
                // continue.
                callNull(port);
                server.awaitLine(REPORT);
                server.awaitLine(REPORT);
            } finally {
                for (var each : sockets) {
                    each.close();
                }
            }
            callNull(port);
            server.awaitLine(REPORT);
        }
    }

    private static void callNull(int port) throws Exception {
        try (var client =
                        TcpRpcClient.connect(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                                new Credential.None(),
                                PATIENCE);
                var reply = client.call(new RpcCall(NFS, 3, 0, _ -> {}, 0), PATIENCE)) {
            reply.results().finish();
        }
    }
}
