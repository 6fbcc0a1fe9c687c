package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.dissect.ConnectionReport;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.dissect.Totals;
import io.github.rpcrdma4j.dissect.Version1Document;
import io.github.rpcrdma4j.dissect.trace.TraceFile;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a dissected trace matches the traffic. Method: trace our own traffic at both ends. */
class DissectTest {
    private static final String NULL_CALL =
            "0a0b0c0d 00000001 00000020 00000000 00000000 00000000 00000000"
                    + "0a0b0c0d 00000000 00000002 000186a3 00000003 00000000"
                    + "00000000 00000000 00000000 00000000";

    @TempDir private Path directory;
    private final Console console = new Console();

    private static ConnectionReport only(Path trace) throws Exception {
        try (var in = Files.newInputStream(trace)) {
            var dissection =
                    Dissector.dissect(PacketReader.of(in), true, Version1Document.RFC_8166);
            assertEquals(1, dissection.connections().size());
            assertEquals(0, dissection.otherConnections());
            return dissection.connections().getFirst();
        }
    }

    private static Map<String, Long> procedures(ConnectionReport connection) {
        return connection.totals().procedures().stream()
                .collect(
                        Collectors.toMap(
                                Totals.Procedure::name,
                                Totals.Procedure::calls,
                                Long::sum,
                                TreeMap::new));
    }

    private static void isSound(ConnectionReport connection, long chunkBytes) {
        var totals = connection.totals();
        assertEquals(0, totals.findings());
        assertEquals(0, totals.bytesMissing());
        assertEquals(0, totals.unanswered());
        assertEquals(totals.calls(), totals.replies());
        assertEquals(
                chunkBytes,
                connection.calls().stream()
                        .flatMap(call -> call.chunks().stream())
                        .mapToLong(chunk -> chunk.moved())
                        .sum());
    }

    @Test
    void tracesBothEndsOfAPutAndAGet() throws Exception {
        byte[] bytes = new byte[300_001];
        new Random(1).nextBytes(bytes);
        var source = Files.write(directory.resolve("source"), bytes);
        var exported = Files.createDirectory(directory.resolve("exported"));
        var atServer = directory.resolve("server.pcapng");
        var putTrace = directory.resolve("put.pcapng");
        var getTrace = directory.resolve("get.pcapng");
        try (var trace = TraceFile.create(atServer);
                var nfs =
                        new NfsServer(
                                List.of(new Export("/data", exported, false)), HandleKey.random());
                var server =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider(IwarpOptions.DEFAULT.withTap(trace)))
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .programs(nfs.programs())
                                .start()) {
            var url = "rdma://127.0.0.1:" + server.address().getPort() + "/data/file";
            assertEquals(
                    0,
                    console.run("put", "--vers", "3", "--trace", "" + putTrace, "" + source, url),
                    console::err);
            assertEquals(
                    0,
                    console.run(
                            "get",
                            "--vers",
                            "3",
                            "--no-crc",
                            "--trace",
                            "" + getTrace,
                            url,
                            directory + "/back"),
                    console::err);
        }
        assertArrayEquals(bytes, Files.readAllBytes(directory.resolve("back")));
        var put = only(putTrace);
        var get = only(getTrace);
        isSound(put, bytes.length);
        assertTrue(procedures(put).get("NFSv3 WRITE") > 0, () -> procedures(put).toString());
        assertTrue(procedures(get).get("NFSv3 READ") > 0, () -> procedures(get).toString());
        isSound(get, bytes.length + replyChunks(get));
        try (var in = Files.newInputStream(atServer)) {
            var seen =
                    Dissector.dissect(PacketReader.of(in), true, Version1Document.RFC_8166)
                            .connections();
            assertEquals(2, seen.size());
            assertEquals(procedures(put), procedures(seen.get(0)));
            assertEquals(procedures(get), procedures(seen.get(1)));
            isSound(seen.get(0), bytes.length);
        }
        assertEquals(0, console.run("dissect", "--json", "" + getTrace), console::err);
        assertEquals(console.out().strip(), new JsonText(console.out()).whole());
        assertEquals(0, console.run("dissect", "--calls", "--connection", "1", "" + getTrace));
        assertTrue(console.out().contains("NFSv3 READ"), console::out);
    }

    /** Goal: the traffic of version 2 of NFS is judged too, and no rule is broken. */
    @Test
    void tracesVersion2OfNfs() throws Exception {
        byte[] bytes = new byte[100_001];
        new Random(2).nextBytes(bytes);
        var tree = Files.createDirectory(directory.resolve("tree"));
        Files.write(tree.resolve("file"), bytes);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("x/".repeat(500)));
        var exported = Files.createDirectory(directory.resolve("exported"));
        var putTrace = directory.resolve("put.pcapng");
        var getTrace = directory.resolve("get.pcapng");
        try (var nfs =
                        new NfsServer(
                                List.of(new Export("/data", exported, false)), HandleKey.random());
                var server =
                        RpcRdmaServer.builder()
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .programs(nfs.version2Programs())
                                .start()) {
            var url = "rdma://127.0.0.1:" + server.address().getPort() + "/data/tree";
            console.succeeds("put", "-r", "--vers", "2", "--trace", "" + putTrace, "" + tree, url);
            console.succeeds(
                    "get", "-r", "--vers", "2", "--trace", "" + getTrace, url, directory + "/back");
        }
        assertArrayEquals(bytes, Files.readAllBytes(directory.resolve("back/file")));
        var put = only(putTrace);
        var get = only(getTrace);
        assertEquals(13L, procedures(put).get("NFSv2 WRITE"), () -> procedures(put).toString());
        assertEquals(1L, procedures(put).get("NFSv2 SYMLINK"), () -> procedures(put).toString());
        assertEquals(13L, procedures(get).get("NFSv2 READ"), () -> procedures(get).toString());
        assertEquals(1L, procedures(get).get("NFSv2 READLINK"), () -> procedures(get).toString());
        for (var each : List.of(put, get)) {
            assertEquals(0, each.totals().findings());
            assertEquals(0, each.totals().unanswered());
        }
    }

    /** Returns the chunk bytes of calls other than READ, such as listings. */
    private static long replyChunks(ConnectionReport connection) {
        return connection.calls().stream()
                .filter(call -> !call.name().equals("NFSv3 READ"))
                .flatMap(call -> call.chunks().stream())
                .mapToLong(chunk -> chunk.moved())
                .sum();
    }

    @Test
    void aTraceReplacesNoFile() throws Exception {
        var kept = Files.writeString(directory.resolve("kept"), "not to be lost");
        var empty = Files.createFile(directory.resolve("empty"));
        try (var served = ServedDirectory.of(new Export("/data", directory, true))) {
            var url = served.url();
            assertEquals(1, console.run("ls", "--trace", kept.toString(), url));
            assertEquals(
                    "rpcrdma: " + kept + ": exists already, and --trace replaces no file\n",
                    console.err());
            assertEquals("not to be lost", Files.readString(kept));
            var other = Files.createLink(directory.resolve("other"), empty);
            console.failsWithOneLine(
                    "has 2 names, and one may be another user's",
                    "ls",
                    "--trace",
                    other.toString(),
                    url);
            Files.delete(other);
            Files.createSymbolicLink(other, empty);
            console.failsWithOneLine(
                    "is a link, and --trace follows none", "ls", "--trace", other.toString(), url);
            assertEquals(0, console.run("ls", "--trace", empty.toString(), url), console::err);
            assertTrue(Files.size(empty) > 0);
            assertEquals(0, console.run("ls", "--trace", "/dev/null", url), console::err);
        }
    }

    /** A trace has the data of all users. */
    @Test
    void aTraceGoesToNoFileThatAnotherUserCanChange() throws Exception {
        assumeTrue(ServedCopies.isRoot(), "only root gives files to other users");
        var others = Files.createDirectory(directory.resolve("others"));
        ServedCopies.make(
                "touch file open && chmod 666 open && mkfifo fifo && chown 7000 file fifo", others);
        try (var served = ServedDirectory.of(new Export("/data", directory, true))) {
            for (var name : List.of("file", "fifo")) {
                var file = others.resolve(name).toString();
                var words = "belongs to user 7000, who can change what is there";
                console.failsWithOneLine(words, "ls", "--trace", file, served.url());
            }
            var open = others.resolve("open");
            var words = "is open to other users: chmod go-w " + open;
            console.failsWithOneLine(words, "ls", "--trace", open.toString(), served.url());
            Files.setAttribute(others, "unix:uid", 7000);
            var file = others.resolve("new");
            words = "belongs to user 7000, who can change what is there";
            console.failsWithOneLine(words, "ls", "--trace", file.toString(), served.url());
            assertFalse(Files.exists(file));
            for (var name : List.of("file", "open")) {
                assertEquals(0, Files.size(others.resolve(name)), name);
            }
        }
    }

    @Test
    void takesASingleMessageApart() {
        assertEquals(
                0, console.run("dissect", "--hex", NULL_CALL, "--layer", "rpcrdma"), console::err);
        assertTrue(console.out().contains("NFSv3 NULL"), console::out);
        assertEquals(0, console.run("dissect", "--json", "--hex", NULL_CALL, "--layer", "rpcrdma"));
        assertEquals(console.out().strip(), new JsonText(console.out()).whole());
        assertEquals(0, console.run("dissect", "--hex", "00".repeat(16), "--layer", "rpcrdma2"));
        assertTrue(console.out().contains("WRONG"), console::out);
        assertEquals(0, console.run("dissect", "--hex", "00:01", "--layer", "fpdu"));
        assertTrue(console.out().contains("no whole frame"), console::out);
    }

    @Test
    void judgesByTheOlderDocumentOnRequest() {
        var done = "0a0b0c0d000000010000002000000003";
        assertEquals(0, console.run("dissect", "--hex", done, "--layer", "rpcrdma"));
        assertTrue(console.out().contains("WRONG"), console::out);
        assertEquals(0, console.run("dissect", "--rfc5666", "--hex", done, "--layer", "rpcrdma"));
        assertFalse(console.out().contains("WRONG"), console::out);
    }

    @Test
    void reportsWrongUseAndWrongFiles() throws Exception {
        assertEquals(2, console.run("dissect"));
        assertEquals(2, console.run("dissect", "--hex", "00"));
        assertEquals(2, console.run("dissect", "--hex", "0", "--layer", "mpa"));
        assertEquals(2, console.run("dissect", "--hex", "00", "--layer", "tcp"));
        assertEquals(1, console.run("dissect", directory + "/missing"));
        var other = Files.writeString(directory.resolve("other"), "no capture at all");
        assertEquals(1, console.run("dissect", "" + other));
        assertTrue(console.err().contains("neither a pcap nor a pcapng"), console::err);
        assertEquals(1, console.run("dissect", directory.toString()));
        assertEquals(
                List.of("rpcrdma: " + directory + " is a directory: a file is wanted here"),
                console.errLines());
        assertEquals(1, console.errLines().size());
    }
}
