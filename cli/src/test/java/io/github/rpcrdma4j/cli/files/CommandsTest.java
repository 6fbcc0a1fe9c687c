package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.Rpcrdma;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.cli.connect.CallerOptions;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: users see correct output. Method: real commands against a real server on loopback. */
class CommandsTest {
    private static final int[] SIZES = {0, 1, 3, 4095, 4097, 1048575, 1048577};

    @TempDir private Path directory;
    private Path exported;
    private Path local;
    private ServedDirectory served;
    private String url;
    private String readOnlyUrl;
    private final Console console = new Console();

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        local = Files.createDirectory(directory.resolve("local"));
        served =
                ServedDirectory.of(
                        new Export("/data", exported, false), new Export("/fixed", exported, true));
        url = served.url();
        readOnlyUrl = served.base() + "/fixed";
    }

    @AfterEach
    void stop() {
        served.close();
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    /**
     * Goal: all commands at a client speak version 2 of NFS on request, and version 3 by default.
     */
    @Test
    void everyCommandSpeaksVersion2() throws Exception {
        var source = Files.createDirectory(local.resolve("source"));
        Files.write(source.resolve("file"), bytes(20_000));
        Files.writeString(source.resolve("text"), "some text");
        version2("mkdir", url + "/made");
        version2("put", "-r", source.toString(), url + "/made/tree");
        version2("ls", "-l", url + "/made/tree");
        assertTrue(console.out().contains("20000"), console::out);
        version2("stat", url + "/made/tree/text");
        version2("cat", url + "/made/tree/text");
        version2("mv", url + "/made/tree/text", url + "/made/moved");
        version2("get", "-r", url + "/made", local.resolve("back").toString());
        assertArrayEquals(bytes(20_000), Files.readAllBytes(local.resolve("back/tree/file")));
        assertEquals("some text", Files.readString(local.resolve("back/moved")));
        version2("rm", url + "/made/moved");
        version2("ping", "-c", "1", url);
        for (var procedure : Procedure.values()) {
            assertEquals(0, served.nfs().statistics().calls(procedure), procedure::toString);
        }
        console.succeeds("ls", "-l", "--vers", "3", url);
        assertTrue(served.nfs().statistics().calls(Procedure.READDIRPLUS) > 0);
    }

    private void version2(String command, String... arguments) {
        var all = new ArrayList<>(List.of(command, "--vers", "2"));
        all.addAll(List.of(arguments));
        console.succeeds(all.toArray(String[]::new));
    }

    @Test
    void saysWhyAFileCannotBeMoved() throws Exception {
        Files.writeString(exported.resolve("a"), "a");
        Files.createDirectories(exported.resolve("deep/down"));
        Files.createDirectories(exported.resolve("to/deep/full"));
        fails(
                "cannot rename /data/a to /other/a: that is not below the export /data",
                "/a",
                "/other/a");
        fails("cannot rename /data/a to /data/a: they are the same file", "/a", "/data/a");
        fails(
                "cannot rename /data/deep to /data/deep/down/deep: that is below itself",
                "/deep",
                "/data/deep/down");
        fails(
                "cannot rename /data/deep to /data/to/deep: directory not empty",
                "/deep",
                "/data/to");
        Files.createLink(exported.resolve("b"), exported.resolve("a"));
        fails("cannot rename /data/a to /data/b: they are the same file", "/a", "/data/b");
        assertTrue(Files.exists(exported.resolve("a")));
        assertTrue(Files.exists(exported.resolve("deep/down")));
    }

    private void fails(String why, String from, String to) {
        assertEquals(1, console.run("mv", url + from, to));
        assertEquals(List.of("rpcrdma: " + why), console.errLines());
    }

    @Test
    void copiesATreeInAndBack() throws Exception {
        var tree = Files.createDirectory(local.resolve("tree"));
        for (int size : SIZES) {
            Files.write(tree.resolve("file" + size), bytes(size));
        }
        Files.writeString(tree.resolve("nämé with spaces ☃"), "odd");
        Files.writeString(tree.resolve("x".repeat(255)), "long");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("file3"));
        Files.createDirectory(tree.resolve("empty"));
        console.succeeds("put", "-r", tree.toString(), url);
        console.succeeds("get", "-r", url + "/tree", local.resolve("back").toString());
        var back = local.resolve("back");
        for (int size : SIZES) {
            assertArrayEquals(bytes(size), Files.readAllBytes(back.resolve("file" + size)));
        }
        assertEquals("odd", Files.readString(back.resolve("nämé with spaces ☃")));
        assertEquals("long", Files.readString(back.resolve("x".repeat(255))));
        assertEquals(Path.of("file3"), Files.readSymbolicLink(back.resolve("link")));
        assertTrue(Files.isDirectory(back.resolve("empty"), LinkOption.NOFOLLOW_LINKS));
        assertEquals(SIZES.length + 4, names(back));
        assertEquals(SIZES.length + 4, names(exported.resolve("tree")));
    }

    private static long names(Path directory) throws Exception {
        try (var all = Files.list(directory)) {
            return all.count();
        }
    }

    @Test
    void copiesADirectoryOfManyFiles() throws Exception {
        var tree = Files.createDirectory(local.resolve("many"));
        for (int i = 0; i < 2000; i++) {
            Files.writeString(tree.resolve("file-" + i), "content " + i);
        }
        console.succeeds("put", "-r", tree.toString(), url);
        assertEquals(2000, names(exported.resolve("many")));
        console.succeeds("ls", url + "/many");
        assertEquals(2000, console.out().lines().distinct().count());
        console.succeeds("get", "-r", url + "/many", local.resolve("back").toString());
        assertEquals(2000, names(local.resolve("back")));
        console.succeeds("rm", "-r", url + "/many");
        assertEquals(0, names(exported));
    }

    @Test
    void looksMakesMovesAndRemoves() throws Exception {
        Files.writeString(exported.resolve("a"), "hello");
        console.succeeds("ls", url);
        assertEquals("a", console.out().strip());
        console.succeeds("ls", "--json", url);
        assertTrue(console.out().startsWith("[{\"name\":\"a\",\"type\":\"regular\""), console::out);
        console.succeeds("stat", "--json", url + "/a");
        assertTrue(console.out().contains("\"size\":5"), console::out);
        console.succeeds("mkdir", url + "/directory");
        console.succeeds("mv", url + "/a", "/data/directory");
        assertTrue(Files.exists(exported.resolve("directory/a")));
        console.succeeds("tree", url);
        assertTrue(console.out().contains("└── a"), console::out);
        console.succeeds("rm", url + "/directory/a");
        console.failsWithOneLine("/directory: is a directory", "rm", url + "/directory");
        console.succeeds("rm", "-d", url + "/directory");
        assertEquals(0, names(exported));
        console.succeeds("ping", "-n", "10", "--json", url);
        assertTrue(console.out().contains("\"medianMicros\":"), console::out);
    }

    @Test
    void showsWhereLinksLeadAndWhatModesMean() throws Exception {
        Files.write(exported.resolve("tool"), new byte[1536]);
        Files.setAttribute(exported.resolve("tool"), "unix:mode", 04755);
        Files.createSymbolicLink(exported.resolve("link"), Path.of("tool x"));
        console.succeeds("ls", "-l", url);
        var lines = console.out().lines().toList();
        assertTrue(lines.get(0).startsWith("lrwxrwxrwx "), console::out);
        assertTrue(lines.get(0).endsWith(" link -> tool x"), console::out);
        assertTrue(lines.get(1).startsWith("-rwsr-xr-x "), console::out);
        assertTrue(lines.get(1).contains(" 1536 "), console::out);
        console.succeeds("ls", "-lh", url + "/tool");
        assertTrue(console.out().contains(" 1.5K "), console::out);
        console.succeeds("stat", url + "/link");
        assertTrue(console.out().contains("target    tool x\n"), console::out);
    }

    @Test
    void explainsToRootWhyAServerMayRefuseIt() {
        var denied = new NfsException("cannot write /data/x", Status.ACCES);
        boolean isRoot = CallerOptions.user() instanceof Credential.Sys user && user.uid() == 0;
        assertEquals(isRoot, FailureText.oneLine(denied).contains("no_root_squash"));
        var full = new NfsException("cannot write /data/x", Status.NOSPC);
        assertEquals(
                "cannot write /data/x: no space left on the server", FailureText.oneLine(full));
    }

    @Test
    void removesWhatItCanAndNamesTheRest() throws Exception {
        for (int i = 0; i < 50; i++) {
            Files.createDirectories(exported.resolve("tree/d" + i % 7));
            Files.writeString(exported.resolve("tree/d" + i % 7 + "/f" + i), "x");
        }
        Files.createSymbolicLink(exported.resolve("tree/link"), Path.of("../other"));
        Files.createDirectories(exported.resolve("other/kept"));
        assertEquals(1, console.run("rm", "-r", readOnlyUrl + "/tree"));
        // One line per file and link. A directory that is not empty is not reported itself.
        assertEquals(51, console.errLines().size(), console::err);
        console.succeeds("rm", "-r", url + "/tree");
        assertEquals(List.of("other"), List.of(exported.toFile().list()));
        assertTrue(Files.exists(exported.resolve("other/kept")));
    }

    @Test
    void replacesAFileOnlyWhenTheNewOneIsComplete() throws Exception {
        var file = Files.writeString(local.resolve("file"), "new");
        Files.writeString(exported.resolve("file"), "old");
        console.succeeds("put", file.toString(), url + "/file");
        assertEquals("new", Files.readString(exported.resolve("file")));
        assertEquals(1, names(exported));
    }

    @Test
    void reportsEveryFailureInOneLine() throws Exception {
        var file = Files.writeString(local.resolve("file"), "new");
        Files.writeString(exported.resolve("there"), "there");
        console.failsWithOneLine("no such file", "cat", url + "/missing");
        console.failsWithOneLine("no such file", "put", local.resolve("missing").toString(), url);
        console.failsWithOneLine("read-only", "put", file.toString(), readOnlyUrl);
        console.failsWithOneLine("read-only", "rm", readOnlyUrl + "/there");
        console.failsWithOneLine("no such file", "ls", url.replace("/data", "/other"));
        console.failsWithOneLine(
                "no export contains", "ls", "--vers", "3", url.replace("/data", "/other"));
        console.failsWithOneLine("is a directory", "get", url, local.toString());
        console.failsWithOneLine("file exists", "mkdir", url + "/there");
        console.failsWithOneLine("unknown host", "ls", "rdma://no-such-host.invalid/data");
        assertEquals(1, names(exported));
        assertEquals(1, names(local));
    }

    @Test
    void reportsThatNoServerListensAndThatAPeerSpeaksSomethingElse() throws Exception {
        int port;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        console.failsWithOneLine("cannot connect", "ls", "rdma://127.0.0.1:" + port + "/data");
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var answering =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try (var socket = other.accept()) {
                                            socket.getOutputStream()
                                                    .write(
                                                            "SSH-2.0-other\r\n"
                                                                    .getBytes(
                                                                            StandardCharsets
                                                                                    .US_ASCII));
                                            socket.getInputStream().readAllBytes();
                                        } catch (IOException _) {
                                            // The command has closed the connection.
                                        }
                                    });
            console.failsWithOneLine(
                    "does not speak iWARP",
                    "ls",
                    "rdma://127.0.0.1:" + other.getLocalPort() + "/x");
            answering.join();
        }
    }

    @Test
    void refusesWrongUseWithTwo() {
        assertEquals(2, console.run("get"));
        assertEquals(2, console.run("ls", "/not/a/url"));
        assertEquals(2, console.run("nonsense"));
        assertEquals(2, console.run());
    }

    @Test
    void hasHelpWithAnExampleForEveryCommand() {
        for (var name : Rpcrdma.commandLine().getSubcommands().keySet()) {
            console.succeeds(name, "--help");
            assertTrue(console.out().contains("Example: rpcrdma " + name), name);
        }
    }

    @Test
    void leavesNothingUnderTheNameWhenTheSourceCannotBeRead() throws Exception {
        Files.createDirectory(local.resolve("directory"));
        console.failsWithOneLine(
                "is a directory", "put", local.resolve("directory").toString(), url + "/new");
        assertFalse(Files.exists(exported.resolve("new")));
        assertEquals(List.of(), Arrays.asList(exported.toFile().list()));
    }

    /** Goal: exports can be listed over TCP, because a Linux server answers MOUNT only there. */
    @Test
    void asksForExportsOverTcp() throws Exception {
        Files.writeString(exported.resolve("one"), "1");
        var nfs = served.nfs();
        var onlyNfs =
                nfs.programs().stream().filter(each -> each.id().number() == Nfs3.PROGRAM).toList();
        try (var linux =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider())
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .programs(onlyNfs)
                                .start();
                var tcp =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                nfs.programs(),
                                TcpRpcOptions.DEFAULT)) {
            var there = "rdma://127.0.0.1:" + linux.address().getPort() + "/data";
            console.failsWithOneLine("--mount-tcp PORT, or --rpcbind", "ls", "--vers", "3", there);
            console.succeeds("ls", there);
            assertEquals("one\n", console.out(), "version 4 needs no MOUNT");
            console.succeeds(
                    "ls", "--vers", "3", "--mount-tcp", "" + tcp.address().getPort(), there);
            assertEquals("one\n", console.out());
            // A gateway may have another address than its server.
            var behind = there.replace("127.0.0.1", "localhost");
            console.succeeds("ls", "--mount-tcp", "127.0.0.1:" + tcp.address().getPort(), behind);
            assertEquals("one\n", console.out());
            console.failsWithOneLine("cannot connect", "ls", "--mount-tcp", "127.0.0.9:1", there);
        }
        for (var wrong : List.of("70000", "x", "127.0.0.1", "127.0.0.1:x")) {
            assertEquals(2, console.run("ls", "--mount-tcp", wrong, url), wrong);
        }
    }
}
