package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.cli.connect.CallerOptions;
import io.github.rpcrdma4j.cli.service.StateFiles;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.rpcbind.Registry;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the command {@code serve} works from its start to Ctrl-C. Method: a separate process. */
class ServeTest {
    @TempDir private Path directory;
    private final Console console = new Console();

    private static Set<String> known(Registry registry) {
        return registry.registrations().stream()
                .map(each -> each.program() + " " + each.version() + " " + each.netid())
                .collect(Collectors.toSet());
    }

    private static void requireIpv6() {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0));
        } catch (IOException none) {
            assumeTrue(false, "this host has no IPv6: " + none.getMessage());
        }
    }

    private void copiesThereAndBack(String... options) throws Exception {
        var file = Files.writeString(directory.resolve("file"), "content");
        var back = directory.resolve("back");
        var url = options[options.length - 1];
        var before = List.of(options).subList(0, options.length - 1);
        var put = new ArrayList<>(List.of("put"));
        put.addAll(before);
        put.addAll(List.of(file.toString(), url));
        console.succeeds(put.toArray(String[]::new));
        var get = new ArrayList<>(List.of("get"));
        get.addAll(before);
        get.addAll(List.of(url + "/file", back.toString()));
        console.succeeds(get.toArray(String[]::new));
        assertEquals("content", Files.readString(back));
        Files.delete(back);
    }

    private static TcpRpcServer serve(Registry registry, InetAddress address) throws Exception {
        return TcpRpcServer.listen(
                new InetSocketAddress(address, 0), List.of(registry), TcpRpcOptions.DEFAULT);
    }

    @Test
    @Tag("8267-4.2-1")
    @Tag("8166-9-1")
    @Tag("5666-9-1")
    @Tag("5666-12-1")
    void isFoundByRpcbindAndIsForgottenAtTheEnd() throws Exception {
        var registry = new Registry(2, 4);
        var others = new Rpcb(100005, 3, "udp", "0.0.0.0.2.3", "0");
        registry.add(others);
        try (var rpcbind = serve(registry, InetAddress.getLoopbackAddress())) {
            var port = "" + rpcbind.address().getPort();
            try (var _ = ServerProcess.registered(port)) {
                assertEquals(
                        Set.of(
                                "100003 3 rdma",
                                "100003 3 tcp",
                                "100003 4 rdma",
                                "100003 4 tcp",
                                "100005 3 rdma",
                                "100005 3 tcp",
                                "100005 3 udp",
                                "100021 4 tcp",
                                "100024 1 tcp",
                                "100024 1 udp",
                                "100227 3 rdma",
                                "100227 3 tcp"),
                        known(registry));
                copiesThereAndBack("--rpcbind-port", port, "rdma://127.0.0.1/mem");
            }
            assertEquals(List.of(others), registry.registrations());
        }
    }

    @Test
    void takesEachKindOfDelegations() throws Exception {
        for (var kind : List.of("none", "leases", "exclusive")) {
            try (var server = new ServerProcess("--delegations", kind, "--listen", "127.0.0.1:0")) {
                assertEquals(0, console.run("ls", server.url()), console::err);
            }
        }
        assertEquals(2, console.run("serve", "--delegations", "some", "mem:"));
    }

    /** Goal: version 2 is served only on request; then rpcbind knows it, and it copies files. */
    @Test
    @Tag("8267-4.2-2")
    void servesVersion2OnRequest() throws Exception {
        var registry = new Registry(2, 4);
        try (var rpcbind = serve(registry, InetAddress.getLoopbackAddress())) {
            var port = "" + rpcbind.address().getPort();
            try (var server = ServerProcess.registered(port, "--nfs2")) {
                assertEquals(
                        Set.of(
                                "100003 2 rdma",
                                "100003 2 tcp",
                                "100003 3 rdma",
                                "100003 3 tcp",
                                "100003 4 rdma",
                                "100003 4 tcp",
                                "100005 1 rdma",
                                "100005 1 tcp",
                                "100005 3 rdma",
                                "100005 3 tcp",
                                "100021 1 tcp",
                                "100021 3 tcp",
                                "100021 4 tcp",
                                "100024 1 tcp",
                                "100024 1 udp",
                                "100227 2 rdma",
                                "100227 2 tcp",
                                "100227 3 rdma",
                                "100227 3 tcp"),
                        known(registry));
                assertTrue(
                        server.printed.stream()
                                .anyMatch(
                                        line ->
                                                line.startsWith(
                                                        "  mount -t nfs -o vers=2,proto=rdma,")),
                        () -> "" + server.printed);
                copiesThereAndBack("--vers", "2", "--rpcbind-port", port, "rdma://127.0.0.1/mem");
                console.succeeds(
                        "ls", "-l", "--vers", "2", "--rpcbind-port", port, "rdma://127.0.0.1/mem");
                assertTrue(console.out().contains("file"), console::out);
            }
            assertEquals(List.of(), registry.registrations());
        }
    }

    @Test
    void servesNoVersion2Otherwise() throws Exception {
        try (var server = new ServerProcess("--listen", "127.0.0.1:0")) {
            assertEquals(1, console.run("ls", "--vers", "2", server.url()));
            assertEquals(1, console.errLines().size(), console::err);
            assertTrue(console.err().contains("program 100005"), console::err);
        }
    }

    @Test
    void saysWhereAnExportIsThatHasMovedAndHowToGetTheOthers() throws Exception {
        try (var server =
                new ServerProcess(
                        "mem:=/moved",
                        "--async-copies",
                        "--listen",
                        "127.0.0.1:0",
                        "--allow",
                        "/mem=any",
                        "--allow",
                        "/moved=any,refer=/data@new.example.org")) {
            int moved = server.printed.indexOf("/moved: /mem");
            assertEquals(
                    "  any host: no access here, version 4 is sent to new.example.org /data",
                    server.printed.get(moved + 1));
            assertEquals(
                    1, server.printed.stream().filter(line -> line.contains("rpcrdma ls")).count());
            assertEquals(0, console.run("ls", server.url()), console::err);
            assertEquals(1, console.run("ls", server.url().replace("/mem", "/moved")));
            assertTrue(
                    console.err()
                            .contains(
                                    "it is at another server: new.example.org:/data; not followed"),
                    console::err);
            assertEquals(
                    1, console.run("ls", "--vers", "3", server.url().replace("/mem", "/moved")));
            assertTrue(console.err().contains("denied"), console::err);
        }
    }

    @Test
    void servesWithoutRpcbindToo() throws Exception {
        int port;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        try (var server =
                new ServerProcess("--listen", "127.0.0.1:0", "--rpcbind-port", "" + port)) {
            assertTrue(
                    server.printed.stream()
                            .anyMatch(
                                    line ->
                                            line.startsWith("rpcbind: cannot")
                                                    && line.endsWith(
                                                            "; nothing is registered with it")),
                    server.printed::toString);
            copiesThereAndBack(server.url());
        }
    }

    @Test
    @Tag("8166-9-1")
    @Tag("5666-12-1")
    void servesAndRegistersOverIpv6() throws Exception {
        requireIpv6();
        var registry = new Registry(2, 4);
        try (var rpcbind = serve(registry, InetAddress.ofLiteral("::"))) {
            var port = "" + rpcbind.address().getPort();
            try (var server =
                    new ServerProcess(
                            "--listen", "[::1]:0", "--tcp", "[::1]:0", "--rpcbind-port", port)) {
                assertTrue(server.url().contains("["), server.url());
                assertTrue(
                        server.printed.stream().anyMatch(line -> line.contains("proto=rdma6,")),
                        server.printed::toString);
                copiesThereAndBack(server.url());
                copiesThereAndBack("--rpcbind-port", port, "rdma://[::1]/mem");
                assertTrue(known(registry).contains("100003 3 rdma6"));
            }
            assertEquals(List.of(), registry.registrations());
        }
    }

    @Test
    void servesBothFamiliesOnAllInterfaces() throws Exception {
        requireIpv6();
        try (var server = new ServerProcess("--listen", "[::]:0", "--allow", "any")) {
            var port = server.url().replaceAll(".*:(\\d+)/.*", "$1");
            copiesThereAndBack("rdma://[::1]:" + port + "/mem");
            copiesThereAndBack("rdma://127.0.0.1:" + port + "/mem");
        }
    }

    @Test
    void letsInWhomTheRulesName() throws Exception {
        try (var server =
                new ServerProcess(
                        "--listen", "127.0.0.1:0", "--allow", "192.0.2.0/24,no_root_squash")) {
            assertEquals(1, console.run("ls", server.url()));
            assertEquals(1, console.errLines().size(), console::err);
        }
    }

    @Test
    void saysHowLinuxMountsVersion4() throws Exception {
        try (var server = new ServerProcess("--listen", "127.0.0.1:0", "--tcp", "127.0.0.1:0")) {
            var port = server.url().replaceAll(".*:(\\d+)/.*", "$1");
            assertTrue(
                    server.printed.contains(
                            "  mount -t nfs -o rdma,port=" + port + " 127.0.0.1:/mem /mnt"),
                    server.printed::toString);
            assertTrue(
                    server.printed.stream()
                            .anyMatch(
                                    line ->
                                            line.matches(
                                                    "  mount -t nfs -o proto=tcp,port=\\d+"
                                                            + " 127.0.0.1:/mem /mnt")),
                    server.printed::toString);
        }
    }

    @Test
    void listensToItsAdministratorWhileItServes() throws Exception {
        String socket;
        try (var server = new ServerProcess("--listen", "127.0.0.1:0")) {
            var start = "To see its clients: rpcrdma clients --control ";
            socket =
                    server.printed.stream()
                            .filter(line -> line.startsWith(start))
                            .map(line -> line.substring(start.length()))
                            .findFirst()
                            .orElseThrow();
            console.succeeds("clients", "--control", socket);
            assertEquals("no clients\n", console.out());
        }
        console.failsWithOneLine("no server listens at ", "clients", "--control", socket);
    }

    @Test
    void keepsRecordsOfClientsForOneServerAtATime() throws Exception {
        int port;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        var listen = "127.0.0.1:" + port;
        var records = StateFiles.records(listen);
        var exported = Files.createDirectory(directory.resolve("exported"));
        try (var _ = ServerProcess.serving(exported, "--listen", listen, "--lease", "10")) {
            assertTrue(Files.isRegularFile(records.resolve("epoch")));
            var second =
                    CommandProcess.with(Map.of(), "serve", exported.toString(), "--listen", listen);
            assertEquals(1, second.status());
            assertEquals(
                    List.of(
                            "rpcrdma: another server is running for the same address, and keeps its"
                                    + " clients in "
                                    + records
                                    + ": end it, or have this one listen at another address"),
                    second.errLines());
        }
        try (var _ = ServerProcess.serving(exported, "--listen", listen)) {
            assertTrue(Files.isRegularFile(records.resolve("epoch")));
        }
    }

    @Test
    void refusesADirectoryThatItMayNotRead() throws Exception {
        var hidden = Files.createDirectory(directory.resolve("hidden"));
        // Root may read everything, so the command runs without the capabilities for that.
        var command = isRoot() ? "setpriv --bounding-set -dac_override,-dac_read_search " : "";
        for (var modes : List.of("---------", "r--------", "--x------")) {
            Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString(modes));
            var ended =
                    CommandProcess.ofShell(
                            "exec " + command + "\"$0\" \"$@\"",
                            "serve",
                            hidden.toString(),
                            "--listen",
                            "127.0.0.1:0");
            assertEquals(
                    List.of(
                            "rpcrdma: "
                                    + hidden
                                    + ": permission denied: this user may not list or search it"),
                    ended.errLines());
            assertEquals(1, ended.status());
        }
        Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rwx------"));
    }

    private static boolean isRoot() {
        return CallerOptions.user() instanceof Credential.Sys user && user.uid() == 0;
    }

    @Test
    void explainsAddressesThatAreNone() {
        for (var wrong :
                List.of(
                        List.of("20049", "a port without a host is written :20049, not 20049"),
                        List.of("host", "not an address like host:port: host"),
                        List.of("host:65536", "\"65536\" is no port from 0 to 65535"),
                        List.of("host:", "\"\" is no port from 0 to 65535"),
                        List.of(":+1", "\"+1\" is no port from 0 to 65535"))) {
            assertEquals(2, console.run("serve", "mem:", "--listen", wrong.getFirst()));
            assertEquals(1, console.errLines().size(), console::err);
            assertTrue(console.err().contains(wrong.getLast()), console::err);
        }
    }

    @Test
    void aStartThatCannotListenSaysWhatToDoAndLeavesNoRecords() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var address = "127.0.0.1:" + taken.getLocalPort();
            var exported = Files.createDirectory(directory.resolve("exported")).toString();
            var free = "127.0.0.1:" + freePort();
            console.failsWithOneLine(
                    "cannot listen on "
                            + address
                            + ": Address already in use: another server listens there; --listen"
                            + " HOST:PORT names another address",
                    "serve",
                    exported,
                    "--listen",
                    address);
            console.failsWithOneLine(
                    "another server listens there; --tcp HOST:PORT names another address",
                    "serve",
                    exported,
                    "--listen",
                    free,
                    "--tcp",
                    address);
            assertFalse(Files.exists(StateFiles.records(address)));
            assertFalse(Files.exists(StateFiles.records(free)));
            // A server in memory has no records, and says the same.
            console.failsWithOneLine(
                    "--listen HOST:PORT names another address",
                    "serve",
                    "mem:",
                    "--listen",
                    address);
        }
    }

    private static int freePort() throws IOException {
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return closed.getLocalPort();
        }
    }

    @Test
    void saysThatTheKeyOfFileHandlesIsNew() throws Exception {
        var state = Files.createDirectory(directory.resolve("state"));
        var exported = Files.createDirectory(directory.resolve("exported"));
        var records = state.resolve("rpcrdma4j/clients-127.0.0.1:" + freePort());
        var listen = records.getFileName().toString().replace("clients-", "");
        Files.createDirectories(records);
        Files.setPosixFilePermissions(records, PosixFilePermissions.fromString("rwx------"));
        // A second start finds the key.
        for (boolean isNew : List.of(true, false)) {
            try (var server =
                    ServerProcess.with(
                            Map.of("XDG_STATE_HOME", state.toString()),
                            exported,
                            "--listen",
                            listen)) {
                assertEquals(
                        isNew,
                        server.printed.stream()
                                .anyMatch(line -> line.contains("handle.key was not there")),
                        server.printed::toString);
            }
        }
    }

    @Test
    void namesTheDirectoryThatItCannotMake() throws Exception {
        var file = Files.writeString(directory.resolve("file"), "");
        var exported = Files.createDirectory(directory.resolve("exported"));
        var ended =
                CommandProcess.with(
                        Map.of("XDG_STATE_HOME", file.toString()), "serve", exported.toString());
        assertEquals(1, ended.status());
        assertEquals(1, ended.errLines().size(), ended::toString);
        var line = ended.errLines().getFirst();
        assertTrue(line.startsWith("rpcrdma: cannot make " + file + "/rpcrdma4j"), line);
        assertTrue(line.contains("XDG_STATE_HOME"), line);
    }

    @Test
    void refusesTimesThatClientsCannotKeep() {
        for (var wrong :
                List.of(
                        List.of("--lease", "9"),
                        List.of("--lease", "3601"),
                        List.of("--grace", "0"))) {
            assertEquals(2, console.run("serve", "mem:", wrong.getFirst(), wrong.getLast()));
            assertEquals(1, console.errLines().size(), console::err);
        }
    }
}
