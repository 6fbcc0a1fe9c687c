package io.github.rpcrdma4j.cli.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.cli.serve.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Goal: users can choose the version of RPC-over-RDMA. Method: two processes. */
class VersionsTest {
    private static final int FILE_BYTES = 3_000_001;
    private static final int NAMES = 50;
    private static final int[] SIZES = {0, 5, 3000, 4097, 7001, 20_001, 70_003, 1_100_000};

    @TempDir private Path directory;
    private final Console console = new Console();

    private void succeeds(String words, String... arguments) {
        assertEquals(0, console.run(arguments), console::err);
        assertTrue(console.err().contains(words), console::err);
    }

    @ParameterizedTest
    @CsvSource({"auto,1,1", "auto,2,2", "auto,auto,2", "1,1,1", "1,auto,1", "2,2,2", "2,auto,2"})
    void copiesInTheNewestVersionThatBothSpeak(String server, String client, String spoken)
            throws Exception {
        var bytes = new byte[FILE_BYTES];
        new Random(FILE_BYTES).nextBytes(bytes);
        var file = Files.write(directory.resolve("file"), bytes);
        var back = directory.resolve("back");
        var words = "Over version " + spoken + " ";
        try (var serving =
                new ServerProcess("--listen", "127.0.0.1:0", "--rpcrdma-version", server)) {
            var url = serving.url();
            succeeds(words, "put", "-v", "--rpcrdma-version", client, file.toString(), url);
            succeeds(
                    words,
                    "get",
                    "-v",
                    "--rpcrdma-version",
                    client,
                    url + "/file",
                    back.toString());
            assertArrayEquals(bytes, Files.readAllBytes(back));
        }
    }

    @ParameterizedTest
    @CsvSource({"1,2", "2,1"})
    void saysSoWhenThereIsNoVersionThatBothSpeak(String server, String client) throws Exception {
        try (var serving =
                new ServerProcess("--listen", "127.0.0.1:0", "--rpcrdma-version", server)) {
            assertEquals(1, console.run("ls", "--rpcrdma-version", client, serving.url()));
            assertEquals(1, console.err().lines().count(), console::err);
            assertTrue(console.err().contains("version"), console::err);
        }
    }

    /** Makes files of many sizes, so that each kind of transfer occurs. */
    private Path tree() throws Exception {
        var tree = Files.createDirectory(directory.resolve("tree"));
        var random = new Random(FILE_BYTES);
        for (int size : SIZES) {
            var bytes = new byte[size];
            random.nextBytes(bytes);
            Files.write(tree.resolve("file" + size), bytes);
        }
        // Makes the directory listing longer than a Send.
        for (int i = 0; i < NAMES; i++) {
            Files.writeString(tree.resolve("a-name-of-some-length-" + i), "small");
        }
        return tree;
    }

    /** Returns the count in a line that {@code -v} printed. */
    private long count(String what) {
        return console.err()
                .lines()
                .filter(line -> line.strip().startsWith(what))
                .map(line -> line.strip().substring(what.length()).strip().split(" ")[0])
                .mapToLong(Long::parseLong)
                .sum();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "none; false; false; false",
                "continuation; true; false; false",
                "placement; false; true; false",
                "read-chunks; false; false; true",
                "continuation,placement,read-chunks; true; true; false"
            })
    void copiesByTheExtensionsThatAreWanted(
            String names, boolean continues, boolean places, boolean fetches) throws Exception {
        var tree = tree();
        var back = directory.resolve("back");
        try (var serving = new ServerProcess("--listen", "127.0.0.1:0", "--extensions", names)) {
            String[] options = {"-v", "-r", "--rpcrdma-version", "2", "--extensions", names};
            succeeds("Over version 2 ", with(options, "put", tree.toString(), serving.url()));
            assertEquals(continues, count("calls in several Sends") > 0, console::err);
            assertEquals(places, count("arguments placed by Sends") > 0, console::err);
            succeeds(
                    "Over version 2 ",
                    with(options, "get", serving.url() + "/tree", back.toString()));
            assertEquals(continues, count("replies in several Sends") > 0, console::err);
            assertEquals(places, count("results placed by Sends") > 0, console::err);
            // With continuation, several Sends carry even this listing, so no reply is fetched.
            assertEquals(
                    fetches, count("replies fetched: the client reads them") > 0, console::err);
        }
        assertTrue(Trees.requireSameTree(tree, back, _ -> true) == SIZES.length + NAMES);
    }

    private static String[] with(String[] options, String command, String... arguments) {
        return Stream.of(new String[] {command}, options, arguments)
                .flatMap(Stream::of)
                .toArray(String[]::new);
    }

    @Test
    void countsTheConnectionsOfEachVersion() throws Exception {
        var serving = new ServerProcess("--listen", "127.0.0.1:0");
        try (serving) {
            succeeds("", "ping", "-n", "1", "--json", serving.url());
            assertTrue(console.out().contains("\"rpcrdmaVersion\":1"), console::out);
            succeeds("", "ping", "-n", "1", "--rpcrdma-version", "2", serving.url());
        }
        assertTrue(
                serving.printed.stream()
                        .anyMatch(
                                line ->
                                        line.contains(
                                                "2 connections, 1 of RPC-over-RDMA version 2")),
                serving.printed::toString);
    }

    @CommandLine.Command
    private static final class Shell {
        @CommandLine.Mixin
        private final VersionOptions version = new VersionOptions(VersionOptions.Choice.ONE);
    }

    @Test
    void oneProfileRemembersWhichServersSpeakVersion1() {
        var shell = new Shell();
        new CommandLine(shell).parseArgs("--rpcrdma-version", "auto");
        assertSame(shell.version.profile(), shell.version.profile());
    }

    @Test
    void knowsNoOtherVersion() {
        assertEquals(2, console.run("ls", "--rpcrdma-version", "3", "rdma://127.0.0.1/mem"));
        assertTrue(console.err().contains("it is 1, 2 or auto"), console::err);
    }
}
