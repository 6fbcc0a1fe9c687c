package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.Export;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what has a name that is not UTF-8 is never lost, or taken for another, in silence. */
class OddNamesTest {
    @TempDir private Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private static RpcRdmaServer serve(List<RpcProgram> programs) throws Exception {
        return RpcRdmaServer.listen(
                new IwarpProvider(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                programs,
                List.of(Nfs3Binding.BINDING),
                RpcRdmaOptions.DEFAULT);
    }

    private static String url(RpcRdmaServer server) {
        return "rdma://127.0.0.1:" + server.address().getPort() + "/data";
    }

    private void fails(String line, String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        int code =
                Rpcrdma.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute(arguments);
        assertEquals(1, code, () -> String.join(" ", arguments) + ": " + err);
        assertEquals(List.of("rpcrdma: " + line), err.toString().lines().toList());
    }

    private static List<String> names(Path folder) throws Exception {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void tellsNamesOfTheServerThatItLeavesOut() throws Exception {
        try (var server = serve(LatinServer.programs())) {
            var url = url(server);
            var left = "left out, as it is not UTF-8: /data/lo\\xE9in, and 1 more";
            fails(left, "ls", url);
            assertEquals(List.of("link", "plain"), out.toString().lines().toList());
            fails(left, "tree", url);
            assertTrue(out.toString().contains("link -> ../caf\\xE9\n"), out::toString);
            fails(left.replace("/data", "/data/."), "rm", "-r", url + "/.");
            var back = folder.resolve("back");
            fails(
                    "left out, as it is not UTF-8: /data/lo\\xE9in, and 2 more",
                    "get",
                    "-r",
                    url,
                    back.toString());
            assertEquals(List.of("plain"), names(back));
            fails(
                    "/data/link leads over a link to what is not UTF-8: ../caf\\xE9",
                    "cat",
                    url + "/link");
        }
    }

    @Test
    void tellsLocalNamesThatItLeavesOut() throws Exception {
        var source = Files.createDirectory(folder.resolve("source"));
        Files.writeString(source.resolve("plain"), "");
        var make = "cd \"$0\" && : > \"$(printf 'x\\351')\" && ln -s \"$(printf '\\350')\" link";
        int made =
                new ProcessBuilder("sh", "-c", make, source.toString())
                        .redirectErrorStream(true)
                        .start()
                        .waitFor();
        assumeTrue(made == 0, "this file system has names in UTF-8 only");
        var exported = Files.createDirectory(folder.resolve("exported"));
        var export = new Export("/data", exported, false);
        try (var nfs = new NfsServer(List.of(export), HandleKey.random());
                var server = serve(nfs.programs())) {
            int code =
                    Rpcrdma.commandLine()
                            .setErr(new PrintWriter(err, true))
                            .execute("put", "-r", source.toString(), url(server));
            assertEquals(1, code);
            var line = err.toString().strip();
            assertTrue(line.startsWith("rpcrdma: left out, as it is not UTF-8: source/"), line);
            assertTrue(line.endsWith(", and 1 more"), line);
            assertEquals(List.of("plain"), names(exported.resolve("source")));
        }
    }
}
