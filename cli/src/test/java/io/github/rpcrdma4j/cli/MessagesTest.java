package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.Export;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: no message does more to a terminal than to be shown. */
class MessagesTest {
    @TempDir private Path folder;
    private NfsServer nfs;
    private RpcRdmaServer server;
    private String url;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void serve() throws Exception {
        var exported = Files.createDirectory(folder.resolve("exported"));
        nfs = new NfsServer(List.of(new Export("/data", exported, true)), HandleKey.random());
        server =
                RpcRdmaServer.listen(
                        new IwarpProvider(),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        nfs.programs(),
                        nfs.bindings(),
                        RpcRdmaOptions.DEFAULT);
        url = "rdma://127.0.0.1:" + server.address().getPort() + "/data";
    }

    @AfterEach
    void stop() {
        server.close();
        nfs.close();
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Rpcrdma.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    @Test
    void noMessageControlsTheTerminal() {
        assertEquals(1, run("ls", url + "/red%1B[31m%0Aline%C2%9B2J%E2%80%AE"));
        assertTrue(
                err.toString().contains("/red\\x1B[31m\\x0Aline\\xC2\\x9B2J\\u202e"),
                err::toString);
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertEquals(1, run("--debug", "ls", url + "/red%1B[31m"));
        assertFalse(err.toString().contains("\u001b"), err::toString);
        assertEquals(2, run("ls", "--sec", "\u001b[31m", url));
        assertFalse(err.toString().contains("\u001b"), err::toString);
        assertEquals(2, run("\u001b[31m"));
        assertFalse(err.toString().contains("\u001b"), err::toString);
    }

    @Test
    void keepsEverythingElseOfAMessage() {
        var text = "größe ☃ 👩‍🔬 עברית: no such file";
        assertEquals(text, Rpcrdma.oneLine(new IOException(text)));
        assertEquals("a\\tb\\r\\nc", Rpcrdma.oneLine(new IOException("a\tb\r\nc\n")));
    }
}
