package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.export.Export;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: input of a user is understood, or the message says how to correct it. */
class CommandLineTest {
    private static final String NOWHERE = "rdma://127.0.0.1:1/x";

    @TempDir private Path directory;
    private ServedDirectory served;
    private String url;
    private final Console console = new Console();

    @BeforeEach
    void serve() throws Exception {
        var exported = Files.createDirectory(directory.resolve("exported"));
        served = ServedDirectory.of(new Export("/data", exported, true));
        url = served.url();
    }

    @AfterEach
    void stop() {
        served.close();
    }

    private void isMisused(String line, String... arguments) {
        assertEquals(2, console.run(arguments), console::err);
        assertEquals("rpcrdma: " + line, console.err().lines().findFirst().orElse(""));
        assertEquals(2, console.errLines().size(), console::err);
    }

    @Test
    void namesTheCommandThatWasMeant() {
        isMisused("there is no command lss: did you mean ls?", "lss", url);
        isMisused("there is no command gte: did you mean get?", "gte");
        isMisused("there is no command diff: did you mean sync -c -n?", "diff", "a", url);
        isMisused("there is no command mirror: did you mean sync --delete?", "mirror", "a", url);
        isMisused("there is no option -name: did you mean --name?", "find", url, "-name", "x");
        isMisused("there is no option --partial: did you mean --resume?", "get", "--partial", url);
        isMisused(
                "there is no option --progress: a terminal shows it without one",
                "get",
                "--progress",
                url);
        assertEquals(2, console.run("put", url, url));
        assertTrue(console.err().contains("put copies from this machine: use cp"), console::err);
        var completion = BashCompletion.of(Rpcrdma.commandLine());
        assertTrue(completion.contains("--sec) values='none sys krb5 krb5i krb5p'"), completion);
        isMisused("there is no command stats: did you mean stat?", "help", "stats");
        isMisused("there is no command nonsense", "nonsense", url);
        isMisused("there is no command mr: did you mean mv or rm?", "mr");
        isMisused("there is no command chmdo: did you mean chmod?", "chmdo");
        isMisused("there is no command snyc: did you mean sync?", "snyc");
    }

    @Test
    void namesTheOptionThatWasMeant() {
        isMisused("there is no option --jsn: did you mean --json?", "ls", "--jsn", url);
        isMisused(
                "there is no option --deadlien: did you mean --deadline?",
                "ls",
                "--deadlien=3",
                url);
        isMisused("there is no option --exlude: did you mean --exclude?", "get", "--exlude=x", url);
        isMisused("there is no option -q", "stat", "-q", url);
        isMisused("stat has an extra argument: more", "stat", url, "more");
    }

    @Test
    void namesTheArgumentsThatAnOptionTakes() {
        isMisused(
                "--delegations is none, leases or exclusive, not no",
                "serve",
                "mem:",
                "--delegations=no");
        isMisused(
                "--log-level is error, warning, info or debug, not all",
                "serve",
                "mem:",
                "--log-level=all");
        isMisused("--lease is a number up to 2147483647, not 1m", "serve", "mem:", "--lease", "1m");
        isMisused("--rpcrdma-version: it is 1, 2 or auto", "ls", "--rpcrdma-version=3", url);
    }

    @Test
    void saysWhichServersServeVersion2() throws Exception {
        try (var server = new ServerProcess("--listen", "127.0.0.1:0")) {
            var there = server.url();
            console.failsWithOneLine(
                    "serve --nfs2 serves NFS version 2", "ls", "--vers", "2", there);
            console.succeeds("ls", there);
        }
    }

    @Test
    void showsTheHelpOfACommandInBothForms() {
        for (var name : Rpcrdma.commandLine().getSubcommands().keySet()) {
            assertEquals(0, console.run("help", name), console::err);
            var asked = console.out();
            assertEquals(0, console.run(name, "--help"), console::err);
            assertEquals(console.out(), asked);
        }
        assertEquals(0, console.run("help"));
        assertTrue(console.out().contains("rpcrdma demo"), console::out);
        for (var name : Rpcrdma.commandLine().getSubcommands().keySet()) {
            assertTrue(console.out().contains("\n  " + name + " "), () -> name + console.out());
        }
    }

    @Test
    void putsWhatACommandSharesWithOthersBelowItsOwn() {
        assertEquals(0, console.run("ls", "--help"));
        var lines = console.out().lines().toList();
        var headings = lines.stream().filter(line -> line.matches("[A-Z][a-z ]+:")).toList();
        assertEquals(List.of("Options:", "Security:", "Connection:", "Every command:"), headings);
        assertTrue(at("--json", lines) < at("Example: ", lines), console::out);
        assertTrue(at("Example: ", lines) < at("Security:", lines), console::out);
        assertTrue(at("Security:", lines) < at("--sec=", lines), console::out);
        assertTrue(at("--sec=", lines) < at("Connection:", lines), console::out);
        assertTrue(at("Connection:", lines) < at("--rpcbind", lines), console::out);
        assertTrue(at("Every command:", lines) < at("--debug", lines), console::out);
        assertEquals(0, console.run("serve", "--help"));
        lines = console.out().lines().toList();
        assertTrue(at("--allow", lines) < at("Security:", lines), console::out);
        assertTrue(at("Security:", lines) < at("--keytab=", lines), console::out);
        assertTrue(at("Connection:", lines) < at("--no-crc", lines), console::out);
    }

    /** Goal: programs can read what commands print about files of a server. */
    @Test
    void everyCommandAboutFilesHasJson() {
        for (var command : Rpcrdma.commandLine().getSubcommands().entrySet()) {
            boolean isAboutFiles =
                    command.getValue().getCommandSpec().findOption("--deadline") != null
                            && !command.getKey().equals("cat");
            if (isAboutFiles) {
                assertTrue(
                        command.getValue().getCommandSpec().findOption("--json") != null,
                        command.getKey());
            }
        }
    }

    @Test
    void helpPagesFitATerminal() {
        for (var name : Rpcrdma.commandLine().getSubcommands().keySet()) {
            assertEquals(0, console.run(name, "--help"));
            assertTrue(console.out().lines().allMatch(line -> line.length() <= 80), name);
            // A word alone on a line shows that a line of a description is too long.
            var description = console.out().lines().skip(1).takeWhile(line -> !line.isBlank());
            assertEquals(
                    List.of(),
                    description.filter(line -> line.matches("\\S{1,12}[^.\\s]")).toList(),
                    name);
        }
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
    void everyCommandPrintsTheVersion() {
        assertEquals(0, console.run("--version"));
        var version = console.out();
        assertTrue(version.startsWith("rpcrdma 0."), version);
        for (var name : Rpcrdma.commandLine().getSubcommands().keySet()) {
            assertEquals(0, console.run(name, "--version"), name);
            assertEquals(version, console.out(), name);
            assertEquals(0, console.run(name, "-V"), name);
        }
    }

    @Test
    void takesTheCountOfAPingAsPingDoes() {
        assertEquals(0, console.run("ping", "-c", "1", url), console::err);
        assertTrue(
                console.out().startsWith("1 NULL call over version 1 of RPC-over-RDMA to "),
                console::out);
    }

    @Test
    void showsWhereAFailureCameFromWhereverThatIsAskedFor() {
        assertEquals(1, console.run("ls", NOWHERE));
        assertFalse(console.err().contains("\tat "), console::err);
        assertEquals(1, console.run("--debug", "ls", NOWHERE));
        assertTrue(console.err().contains("\tat "), console::err);
        assertEquals(1, console.run("ls", "--debug", NOWHERE));
        assertTrue(console.err().contains("\tat "), console::err);
        assertEquals(1, console.run("ls", NOWHERE, "--debug"));
        assertTrue(console.err().contains("\tat "), console::err);
    }
}
