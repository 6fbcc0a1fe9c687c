package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.Export;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
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

/** Goal: what a user typed is understood, or the message says what to type. */
class CommandLineTest {
    private static final String NOWHERE = "rdma://127.0.0.1:1/x";

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

    private void isMisused(String line, String... arguments) {
        assertEquals(2, run(arguments), err::toString);
        assertEquals("rpcrdma: " + line, err.toString().lines().findFirst().orElse(""));
        assertEquals(2, err.toString().lines().count(), err::toString);
    }

    @Test
    void namesTheCommandThatWasMeant() {
        isMisused("there is no command lss: did you mean ls?", "lss", url);
        isMisused("there is no command gte: did you mean get?", "gte");
        isMisused("there is no command stats: did you mean stat?", "help", "stats");
        isMisused("there is no command nonsense", "nonsense", url);
        isMisused("there is no command mr: did you mean mv or rm?", "mr");
    }

    @Test
    void namesTheOptionThatWasMeant() {
        isMisused("there is no option --jsn: did you mean --json?", "ls", "--jsn", url);
        isMisused(
                "there is no option --deadlien: did you mean --deadline?",
                "ls",
                "--deadlien=3",
                url);
        isMisused("there is no option -q", "stat", "-q", url);
        isMisused("stat takes no more arguments, and there is more", "stat", url, "more");
    }

    @Test
    void showsTheHelpOfACommandByEitherWay() {
        for (var name : Rpcrdma.commandLine().getSubcommands().keySet()) {
            assertEquals(0, run("help", name), err::toString);
            var asked = out.toString();
            assertEquals(0, run(name, "--help"), err::toString);
            assertEquals(out.toString(), asked);
        }
        assertEquals(0, run("help"));
        assertTrue(out.toString().contains("rpcrdma demo"), out::toString);
    }

    @Test
    void putsWhatACommandSharesWithOthersBelowItsOwn() {
        assertEquals(0, run("ls", "--help"));
        var lines = out.toString().lines().toList();
        var headings = lines.stream().filter(line -> line.matches("[A-Z][a-z ]+:")).toList();
        assertEquals(List.of("Options:", "Connection:", "Every command:"), headings);
        assertTrue(at("--json", lines) < at("Example: ", lines), out::toString);
        assertTrue(at("Example: ", lines) < at("Connection:", lines), out::toString);
        assertTrue(at("Connection:", lines) < at("--rpcbind", lines), out::toString);
        assertTrue(at("Every command:", lines) < at("--debug", lines), out::toString);
        assertEquals(0, run("serve", "--help"));
        lines = out.toString().lines().toList();
        assertTrue(at("--allow", lines) < at("Security:", lines), out::toString);
        assertTrue(at("Security:", lines) < at("--keytab=", lines), out::toString);
        assertTrue(at("Connection:", lines) < at("--no-crc", lines), out::toString);
    }

    private static int at(String words, List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains(words)) {
                return i;
            }
        }
        throw new AssertionError("no " + words + " in " + lines);
    }

    @Test
    void everyCommandTellsTheVersion() {
        assertEquals(0, run("--version"));
        var version = out.toString();
        assertTrue(version.startsWith("rpcrdma 0."), version);
        for (var name : Rpcrdma.commandLine().getSubcommands().keySet()) {
            assertEquals(0, run(name, "--version"), name);
            assertEquals(version, out.toString(), name);
            assertEquals(0, run(name, "-V"), name);
        }
    }

    @Test
    void takesTheCountOfAPingAsPingDoes() {
        assertEquals(0, run("ping", "-c", "1", url), err::toString);
        assertTrue(out.toString().startsWith("1 NULL call of "), out::toString);
    }

    @Test
    void showsWhereAFailureCameFromWhereverThatIsAskedFor() {
        assertEquals(1, run("ls", NOWHERE));
        assertFalse(err.toString().contains("\tat "), err::toString);
        assertEquals(1, run("--debug", "ls", NOWHERE));
        assertTrue(err.toString().contains("\tat "), err::toString);
        assertEquals(1, run("ls", "--debug", NOWHERE));
        assertTrue(err.toString().contains("\tat "), err::toString);
        assertEquals(1, run("ls", NOWHERE, "--debug"));
        assertTrue(err.toString().contains("\tat "), err::toString);
    }
}
