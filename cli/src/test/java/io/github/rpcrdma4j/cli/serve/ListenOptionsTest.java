package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.rpcbind.Registry;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: {@code serve} is one server at each address that it was given. Method: a separate process.
 */
class ListenOptionsTest {
    private static final String ANY = "127.0.0.1:0";

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Console console = new Console();

    /** Returns the further addresses of a transport, as the server prints them. */
    private static List<String> others(ServerProcess server, String transport) {
        return server.printed.stream()
                .filter(each -> each.startsWith("also at "))
                .filter(each -> each.endsWith(" over " + transport))
                .map(each -> each.split(" ")[2])
                .toList();
    }

    @Test
    void servesAtEachAddressAndRegistersTheFirst() throws Exception {
        var registry = new Registry(2, 4);
        try (var rpcbind =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(registry),
                                TcpRpcOptions.DEFAULT);
                var server =
                        ServerProcess.registered(
                                "" + rpcbind.address().getPort(),
                                "--listen",
                                "127.0.0.2:0",
                                "--tcp",
                                "127.0.0.2:0")) {
            var rdma = others(server, "RDMA");
            var tcp = others(server, "TCP");
            assertEquals(1, rdma.size(), server.printed::toString);
            assertEquals(1, tcp.size(), server.printed::toString);
            console.succeeds("mkdir", server.url() + "/made");
            var at = "rdma://" + rdma.getFirst() + "/mem";
            console.succeeds("ls", at);
            assertEquals("made\n", console.out());
            try (var client =
                    TcpRpcClient.connect(
                            AddressText.parse(tcp.getFirst()), new Credential.None(), TIMEOUT)) {
                client.ping(Nfs3.PROGRAM, Nfs3.VERSION, TIMEOUT);
            }
            assertTrue(
                    registry.registrations().stream()
                            .map(Rpcb::address)
                            .allMatch(each -> each.startsWith("127.0.0.1.")),
                    () -> registry.registrations().toString());
            assertTrue(
                    server.printed.stream().noneMatch(each -> each.contains("does not take")),
                    server.printed::toString);
            assertTrue(
                    server.printed.stream()
                            .anyMatch(each -> each.contains(" and " + rdma.getFirst() + " over")),
                    server.printed::toString);
        }
        assertEquals(List.of(), registry.registrations());
    }

    @Test
    void startsNowhereIfOneAddressIsTaken() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var wrong = "127.0.0.1:" + taken.getLocalPort();
            for (var option : List.of("--listen", "--tcp")) {
                var line = Stream.of("serve", "mem:", "--listen", ANY, "--tcp", ANY, option, wrong);
                assertEquals(1, console.run(line.toArray(String[]::new)), console::err);
                assertTrue(
                        console.err()
                                .contains("another server listens there; " + option + " HOST:PORT"),
                        console::err);
            }
        }
    }

    @Test
    void anAddressThatIsThereTwiceIsAMistake() {
        for (var option : List.of("--listen", "--tcp")) {
            assertEquals(
                    2, console.run("serve", "mem:", option, ":4711", option, "127.0.0.1:4711"));
            assertEquals(
                    List.of("rpcrdma: " + option + " :4711 and 127.0.0.1:4711 are one address"),
                    console.errLines());
            var within =
                    Stream.of(
                            "serve",
                            "mem:",
                            "--allow",
                            "192.0.2.9",
                            option,
                            ":4711",
                            option,
                            "127.0.0.1:4711");
            assertEquals(2, console.run(within.toArray(String[]::new)));
            assertTrue(console.err().contains("are one address"), console::err);
        }
    }
}
