package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.server.Export;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what a user sees. Method: real commands against a real server on loopback. */
class CommandsTest {
    private static final int[] SIZES = {0, 1, 3, 4095, 4097, 1048575, 1048577};

    @TempDir private Path folder;
    private Path exported;
    private Path local;
    private NfsServer nfs;
    private RpcRdmaServer server;
    private String url;
    private String readOnlyUrl;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(folder.resolve("exported"));
        local = Files.createDirectory(folder.resolve("local"));
        nfs =
                new NfsServer(
                        List.of(
                                new Export("/data", exported, false),
                                new Export("/fixed", exported, true)),
                        HandleKey.random());
        server =
                RpcRdmaServer.listen(
                        new IwarpProvider(),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        nfs.programs(),
                        nfs.bindings(),
                        RpcRdmaOptions.DEFAULT);
        var base = "rdma://127.0.0.1:" + server.address().getPort();
        url = base + "/data";
        readOnlyUrl = base + "/fixed";
    }

    @AfterEach
    void stop() {
        server.close();
        nfs.close();
        assertEquals(0, server.leasedMemory());
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Rpcrdma.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    private void succeeds(String... arguments) {
        assertEquals(0, run(arguments), () -> String.join(" ", arguments) + ": " + err);
    }

    private void failsWithOneLine(String words, String... arguments) {
        assertEquals(1, run(arguments), () -> String.join(" ", arguments) + ": " + err);
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().contains(words), err::toString);
    }

    private static byte[] octets(int size) {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return octets;
    }

    @Test
    void copiesATreeInAndBack() throws Exception {
        var tree = Files.createDirectory(local.resolve("tree"));
        for (int size : SIZES) {
            Files.write(tree.resolve("file" + size), octets(size));
        }
        Files.writeString(tree.resolve("nämé with spaces ☃"), "odd");
        Files.writeString(tree.resolve("x".repeat(255)), "long");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("file3"));
        Files.createDirectory(tree.resolve("empty"));
        succeeds("put", "-r", tree.toString(), url);
        succeeds("get", "-r", url + "/tree", local.resolve("back").toString());
        var back = local.resolve("back");
        for (int size : SIZES) {
            assertArrayEquals(octets(size), Files.readAllBytes(back.resolve("file" + size)));
        }
        assertEquals("odd", Files.readString(back.resolve("nämé with spaces ☃")));
        assertEquals("long", Files.readString(back.resolve("x".repeat(255))));
        assertEquals(Path.of("file3"), Files.readSymbolicLink(back.resolve("link")));
        assertTrue(Files.isDirectory(back.resolve("empty"), LinkOption.NOFOLLOW_LINKS));
        assertEquals(SIZES.length + 4, names(back));
        assertEquals(SIZES.length + 4, names(exported.resolve("tree")));
    }

    private static long names(Path folder) throws Exception {
        try (var all = Files.list(folder)) {
            return all.count();
        }
    }

    @Test
    void copiesAFolderOfManyFiles() throws Exception {
        var tree = Files.createDirectory(local.resolve("many"));
        for (int i = 0; i < 2000; i++) {
            Files.writeString(tree.resolve("file-" + i), "content " + i);
        }
        succeeds("put", "-r", tree.toString(), url);
        assertEquals(2000, names(exported.resolve("many")));
        succeeds("ls", url + "/many");
        assertEquals(2000, out.toString().lines().distinct().count());
        succeeds("get", "-r", url + "/many", local.resolve("back").toString());
        assertEquals(2000, names(local.resolve("back")));
        succeeds("rm", "-r", url + "/many");
        assertEquals(0, names(exported));
    }

    @Test
    void looksMakesMovesAndRemoves() throws Exception {
        Files.writeString(exported.resolve("a"), "hello");
        succeeds("ls", url);
        assertEquals("a", out.toString().strip());
        succeeds("ls", "--json", url);
        assertTrue(
                out.toString().startsWith("[{\"name\":\"a\",\"type\":\"regular\""), out::toString);
        succeeds("stat", "--json", url + "/a");
        assertTrue(out.toString().contains("\"size\":5"), out::toString);
        succeeds("mkdir", url + "/folder");
        succeeds("mv", url + "/a", "/data/folder");
        assertTrue(Files.exists(exported.resolve("folder/a")));
        succeeds("tree", url);
        assertTrue(out.toString().contains("└── a"), out::toString);
        succeeds("rm", url + "/folder/a");
        succeeds("rm", url + "/folder");
        assertEquals(0, names(exported));
        succeeds("ping", "-n", "10", "--json", url);
        assertTrue(out.toString().contains("\"medianMicros\":"), out::toString);
    }

    @Test
    void showsWhereLinksLeadAndWhatModesMean() throws Exception {
        Files.write(exported.resolve("tool"), new byte[1536]);
        Files.setAttribute(exported.resolve("tool"), "unix:mode", 04755);
        Files.createSymbolicLink(exported.resolve("link"), Path.of("tool x"));
        succeeds("ls", "-l", url);
        var lines = out.toString().lines().toList();
        assertTrue(lines.get(0).startsWith("lrwxrwxrwx "), out::toString);
        assertTrue(lines.get(0).endsWith(" link -> tool x"), out::toString);
        assertTrue(lines.get(1).startsWith("-rwsr-xr-x "), out::toString);
        assertTrue(lines.get(1).contains(" 1536 "), out::toString);
        succeeds("ls", "-lh", url + "/tool");
        assertTrue(out.toString().contains(" 1.5 KiB "), out::toString);
        succeeds("stat", url + "/link");
        assertTrue(out.toString().contains("target    tool x\n"), out::toString);
    }

    @Test
    void tellsRootWhyAServerMayRefuseIt() {
        var denied = new NfsException("cannot write /data/x", Status.ACCES);
        boolean isRoot = CallerFlavor.user() instanceof Credential.Sys user && user.uid() == 0;
        assertEquals(isRoot, Rpcrdma.oneLine(denied).contains("no_root_squash"));
        var full = new NfsException("cannot write /data/x", Status.NOSPC);
        assertEquals("cannot write /data/x: no space left on the server", Rpcrdma.oneLine(full));
    }

    @Test
    void removesWhatItCanAndNamesTheRest() throws Exception {
        for (int i = 0; i < 50; i++) {
            Files.createDirectories(exported.resolve("tree/d" + i % 7));
            Files.writeString(exported.resolve("tree/d" + i % 7 + "/f" + i), "x");
        }
        Files.createSymbolicLink(exported.resolve("tree/link"), Path.of("../other"));
        Files.createDirectories(exported.resolve("other/kept"));
        assertEquals(1, run("rm", "-r", readOnlyUrl + "/tree"));
        // Each file, and each folder that is not empty then.
        assertEquals(59, err.toString().lines().count(), err::toString);
        succeeds("rm", "-r", url + "/tree");
        assertEquals(List.of("other"), List.of(exported.toFile().list()));
        assertTrue(Files.exists(exported.resolve("other/kept")));
    }

    @Test
    void replacesAFileOnlyWhenTheNewOneIsComplete() throws Exception {
        var file = Files.writeString(local.resolve("file"), "new");
        Files.writeString(exported.resolve("file"), "old");
        succeeds("put", file.toString(), url + "/file");
        assertEquals("new", Files.readString(exported.resolve("file")));
        assertEquals(1, names(exported));
    }

    @Test
    void tellsEveryFailureInOneLine() throws Exception {
        var file = Files.writeString(local.resolve("file"), "new");
        Files.writeString(exported.resolve("there"), "there");
        failsWithOneLine("no such file", "cat", url + "/missing");
        failsWithOneLine("no such file", "put", local.resolve("missing").toString(), url);
        failsWithOneLine("read-only", "put", file.toString(), readOnlyUrl);
        failsWithOneLine("read-only", "rm", readOnlyUrl + "/there");
        failsWithOneLine("exports nothing", "ls", url.replace("/data", "/other"));
        failsWithOneLine("is a folder", "get", url, local.toString());
        failsWithOneLine("file exists", "mkdir", url + "/there");
        failsWithOneLine("unknown host", "ls", "rdma://no-such-host.invalid/data");
        assertEquals(1, names(exported));
        assertEquals(1, names(local));
    }

    @Test
    void tellsThatNobodyListensAndThatAPeerSpeaksSomethingElse() throws Exception {
        int port;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        failsWithOneLine("cannot connect", "ls", "rdma://127.0.0.1:" + port + "/data");
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
                                            // The command has hung up.
                                        }
                                    });
            failsWithOneLine(
                    "does not speak iWARP",
                    "ls",
                    "rdma://127.0.0.1:" + other.getLocalPort() + "/x");
            answering.join();
        }
    }

    @Test
    void refusesWrongUseWithTwo() {
        assertEquals(2, run("get"));
        assertEquals(2, run("ls", "/not/a/url"));
        assertEquals(2, run("nonsense"));
        assertEquals(2, run());
    }

    @Test
    void hasHelpWithAnExampleForEveryCommand() {
        for (var name : Rpcrdma.commandLine().getSubcommands().keySet()) {
            succeeds(name, "--help");
            assertTrue(out.toString().contains("Example: rpcrdma " + name), name);
        }
    }

    @Test
    void leavesNothingUnderTheNameWhenTheSourceCannotBeRead() throws Exception {
        Files.createDirectory(local.resolve("folder"));
        failsWithOneLine("is a folder", "put", local.resolve("folder").toString(), url + "/new");
        assertFalse(Files.exists(exported.resolve("new")));
        assertEquals(List.of(), Arrays.asList(exported.toFile().list()));
    }

    /** A Linux server answers MOUNT over TCP alone. */
    @Test
    void asksForExportsOverTcp() throws Exception {
        Files.writeString(exported.resolve("one"), "1");
        var onlyNfs =
                nfs.programs().stream().filter(each -> each.program() == Nfs3.PROGRAM).toList();
        try (var linux =
                        RpcRdmaServer.listen(
                                new IwarpProvider(),
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                onlyNfs,
                                nfs.bindings(),
                                RpcRdmaOptions.DEFAULT);
                var tcp =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                nfs.programs(),
                                TcpRpcOptions.DEFAULT)) {
            var there = "rdma://127.0.0.1:" + linux.address().getPort() + "/data";
            failsWithOneLine("PROG_UNAVAIL", "ls", there);
            succeeds("ls", "--mount-tcp", "" + tcp.address().getPort(), there);
            assertEquals("one\n", out.toString());
        }
        assertEquals(2, run("ls", "--mount-tcp", "70000", url));
    }
}
