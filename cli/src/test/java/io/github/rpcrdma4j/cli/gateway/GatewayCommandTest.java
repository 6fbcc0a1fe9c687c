package io.github.rpcrdma4j.cli.gateway;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.cli.connect.TransportAddress;
import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayCommandTest {
    private static final String ANY = "127.0.0.1:0";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Pattern MOUNT_PORT = Pattern.compile("mountport=(\\d+)");
    private static final Pattern ADDRESS = Pattern.compile("(rdma|tcp)://(127\\.0\\.0\\.1:\\d+)");

    @TempDir private Path directory;
    private final Console console = new Console();

    /** Returns the first address that a process prints, without its transport. */
    private static String address(ServerProcess process) {
        var found = ADDRESS.matcher(String.join("\n", process.printed));
        assertTrue(found.find(), process.printed::toString);
        return found.group(2);
    }

    /** Goal: calls pass from TCP over RDMA to TCP, and their replies back. */
    @Test
    void callsPassThroughTwoGateways() throws Exception {
        try (var server = new ServerProcess("--listen", ANY, "--tcp", ANY);
                var toTcp =
                        ServerProcess.gateway("rdma://" + ANY, "tcp://" + mountAddress(server));
                var toRdma = ServerProcess.gateway("tcp://" + ANY, "rdma://" + address(toTcp));
                var client =
                        TcpRpcClient.connect(
                                AddressText.parse(address(toRdma)),
                                new Credential.None(),
                                TIMEOUT)) {
            client.ping(Nfs3.PROGRAM, Nfs3.VERSION, TIMEOUT);
            var unknown =
                    assertThrows(
                            RpcException.Refused.class,
                            () -> client.ping(Nfs3.PROGRAM, 99, TIMEOUT));
            assertTrue(
                    unknown.getMessage().endsWith("it serves versions 3 to 4"),
                    unknown::getMessage);
        }
    }

    /** Goal: bulk data passes between the chunks of a client on RDMA and a server on TCP. */
    @Test
    void filesPassFromRdmaToTcpAndBack() throws Exception {
        byte[] content = new byte[3_000_001];
        new Random(1).nextBytes(content);
        var file = Files.write(directory.resolve("file"), content);
        var back = directory.resolve("back");
        try (var server = new ServerProcess("--listen", ANY, "--tcp", ANY);
                var gateway =
                        ServerProcess.gateway("rdma://" + ANY, "tcp://" + mountAddress(server))) {
            var url = "rdma://" + address(gateway) + "/mem";
            console.succeeds("put", file.toString(), url);
            console.succeeds("get", url + "/file", back.toString());
            console.succeeds("ls", "-l", url);
        }
        assertArrayEquals(content, Files.readAllBytes(back));
    }

    /**
     * Goal: no client of a gateway frees the locks of its host, as those can who speak to a server
     * from the host's address and a port below 1024.
     */
    @Test
    void theLockManagerOfTheServerIsNotReached() throws Exception {
        try (var server = new ServerProcess("--listen", ANY, "--tcp", ANY)) {
            var direct = mountAddress(server);
            try (var rdma = ServerProcess.gateway("rdma://" + ANY, "tcp://" + direct);
                    var tcp = ServerProcess.gateway("tcp://" + ANY, "rdma://" + address(rdma));
                    var named =
                            ServerProcess.gateway(
                                    "tcp://" + ANY,
                                    "tcp://" + direct,
                                    "--program",
                                    Integer.toString(Nlm.PROGRAM))) {
                freeAll(direct);
                freeAll(address(named));
                var refused = assertThrows(RpcException.Refused.class, () -> freeAll(address(tcp)));
                assertEquals(AcceptStatus.PROG_UNAVAIL, refused.status());
                assertTrue(
                        named.printed.getFirst().contains("from ports above 1023"),
                        named.printed::toString);
            }
        }
    }

    /** Says that the host named {@code box} has restarted (NLM_FREE_ALL). */
    private static void freeAll(String address) throws Exception {
        int freeAll = 23;
        try (var client =
                TcpRpcClient.connect(
                        AddressText.parse(address),
                        new Credential.Sys(1, "box", 2, 3, List.of()),
                        TIMEOUT)) {
            client.call(
                            new RpcCall(
                                    Nlm.PROGRAM,
                                    4,
                                    freeAll,
                                    out -> out.string("box").uint32(0),
                                    100),
                            TIMEOUT)
                    .close();
        }
    }

    /** Returns where a server serves MOUNT over TCP. */
    private static String mountAddress(ServerProcess server) {
        var found = MOUNT_PORT.matcher(String.join("\n", server.printed));
        assertTrue(found.find(), server.printed::toString);
        return "127.0.0.1:" + found.group(1);
    }

    /** Goal: a program can read the reports, and a message may be as long as the user says. */
    @Test
    void reportsAreJsonObjectsIfTheUserWants() throws Exception {
        try (var server = new ServerProcess("--listen", ANY, "--tcp", ANY);
                var gateway =
                        ServerProcess.gateway(
                                "tcp://" + ANY,
                                "tcp://" + mountAddress(server),
                                "--report",
                                "1",
                                "--json",
                                "--max-message",
                                "4194304");
                var client =
                        TcpRpcClient.connect(
                                AddressText.parse(address(gateway)),
                                new Credential.None(),
                                TIMEOUT)) {
            client.ping(Nfs3.PROGRAM, Nfs3.VERSION, TIMEOUT);
            gateway.awaitLine(
                    Pattern.compile(
                            "^\\{\"time\":\"[^\"]+\",\"connections\":1,\"clients\":1,"
                                    + "\"callsInProgress\":0,.*\"replyBytes\":0,"
                                    + ".*\"connectionsToServer\":1,.*\"calls\":1,"
                                    + "\"callsRepeated\":0\\}$"));
            assertTrue(
                    gateway.printed.getFirst().contains(", from ports "),
                    gateway.printed::toString);
        }
    }

    /** Goal: a user who expects JSON is told why there is none. */
    @Test
    void jsonNeedsReports() {
        for (var command :
                List.of(
                        List.of("gateway", "--listen", "rdma://" + ANY, "--to", "tcp://" + ANY),
                        List.of("serve", "--listen", ANY, "mem:"))) {
            var words = new ArrayList<>(command);
            words.add("--json");
            assertEquals(2, console.run(words.toArray(String[]::new)));
            assertEquals(
                    List.of("rpcrdma: --json needs --report: only reports are JSON"),
                    console.errLines());
        }
    }

    /** Goal: an operator sees in one line which client was refused, and why. */
    @ParameterizedTest
    @CsvSource({"tcp, tcp", "tcp, rdma", "rdma, tcp", "rdma, rdma"})
    void aRefusalIsOneLine(String listen, String to) throws Exception {
        // A port at which no process listens, and which no other process gets meanwhile.
        try (var held = new Socket()) {
            held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var server = "127.0.0.1:" + held.getLocalPort();
            var gateway = ServerProcess.gateway(listen + "://" + ANY, to + "://" + server);
            try (gateway) {
                isRefused(listen, address(gateway));
            }
            var log = gateway.printed.stream().filter(line -> line.contains(" WARNING ")).toList();
            assertEquals(1, log.size(), log::toString);
            assertTrue(
                    log.getFirst()
                            .matches(
                                    "\\d{4}-\\d\\d-\\d\\dT\\S+ WARNING a connection was"
                                            + " refused: 127\\.0\\.0\\.1:\\d+: cannot connect to "
                                            + Pattern.quote(server)
                                            + ": Connection refused"),
                    log::toString);
        }
    }

    /** Makes the first call to a gateway that cannot pass it on, and so closes the connection. */
    private void isRefused(String transport, String front) throws IOException {
        if (transport.equals("rdma")) {
            assertEquals(1, console.run("ping", "rdma://" + front), console::err);
            assertEquals("rpcrdma: the peer closed the connection", console.errLines().getLast());
            return;
        }
        var address = AddressText.parse(front);
        try (var client = new Socket(address.getAddress(), address.getPort())) {
            client.getOutputStream().write(nullCall());
            assertEquals(-1, client.getInputStream().read());
        }
    }

    /** Returns a call of procedure 0 of NFS version 3, as a record. */
    private static byte[] nullCall() {
        int words = 10;
        var out = ByteBuffer.allocate((1 + words) * Integer.BYTES);
        out.putInt(1 << 31 | words * Integer.BYTES);
        return out.putInt(1).putInt(0).putInt(2).putInt(100003).putInt(3).array();
    }

    @Test
    void theConnectionsToTheServerAreBounded() {
        for (var number : List.of("1", "0", "-1", "1025")) {
            assertEquals(
                    2,
                    console.run("gateway", "--to", "rdma://127.0.0.1", "--connections=" + number));
            assertTrue(
                    console.err().contains("--connections is a number from 2 to 1024: " + number),
                    console::err);
        }
    }

    /** Goal: a length with which no call could pass is refused. */
    @ParameterizedTest
    @CsvSource({
        "--max-message, 67107841",
        "--max-message, 4095",
        "--max-results, 0",
        "--max-results, -1"
    })
    void theLongestMessageHasALeastAndAMostLength(String option, long bytes) {
        assertEquals(2, console.run("gateway", "--to", "tcp://127.0.0.1", option + "=" + bytes));
        assertTrue(
                console.err()
                        .contains(
                                "--max-message (or --max-results): the longest message must have"
                                        + " 4096 to 67107840 bytes: "
                                        + bytes),
                console::err);
    }

    /** Goal: a gateway that starts before its resolver serves as soon as the name is known. */
    @Test
    void aGatewayStartsWithAServerThatNoResolverKnows() throws Exception {
        var gateway = ServerProcess.gateway("tcp://" + ANY, "tcp://no..invalid:2049");
        try (gateway) {
            isRefused("tcp", address(gateway));
        }
        assertEquals(
                "rpcrdma: warning: unknown host no..invalid; each client asks again",
                gateway.printed.getFirst());
        assertEquals(
                1,
                gateway.printed.stream()
                        .filter(line -> line.endsWith(": unknown host no..invalid"))
                        .count(),
                gateway.printed::toString);
    }

    @Test
    void aServerHasAnAddressOrAName() {
        assertTrue(TransportAddress.parseName("tcp://localhost").address().isUnresolved());
        assertFalse(TransportAddress.parseName("tcp://127.0.0.1:1").address().isUnresolved());
        assertFalse(TransportAddress.parseName("rdma://[::1]").address().isUnresolved());
        assertEquals("tcp://localhost:2049", TransportAddress.parseName("tcp://localhost") + "");
    }

    @Test
    void anAddressNeedsATransport() {
        assertEquals(20049, TransportAddress.parse("rdma://[::1]").address().getPort());
        assertEquals("tcp://127.0.0.1:2049", TransportAddress.parse("tcp://127.0.0.1").toString());
        assertEquals(2, console.run("gateway", "--to", "server:2049"));
        assertTrue(
                console.err().contains("not an address like rdma://host:port or tcp://host:port"),
                console::err);
    }
}
