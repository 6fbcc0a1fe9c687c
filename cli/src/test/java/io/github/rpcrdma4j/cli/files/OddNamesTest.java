package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: names are bytes; none is lost, changed or confused with another on either side. */
class OddNamesTest {
    /** Names in Latin-1. Decoded as UTF-8, two of them would become equal. */
    private static final List<String> NAMES =
            List.of("plain", "x\u00e9", "x\u00e8", "y\u00ff\n\u001b[31m", "it's a\ttab");

    @TempDir private Path directory;
    private Path exported;
    private ServedDirectory served;
    private String url;
    private final Console console = new Console();

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        served = ServedDirectory.of(exported);
        url = served.url();
    }

    @AfterEach
    void stop() {
        served.close();
    }

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static Path latin(Path in, String name) {
        return in.resolve(LocalNames.path(latin(name)));
    }

    private static List<String> names(Path in) throws Exception {
        try (Stream<Path> all = Files.list(in)) {
            return all.map(each -> RawText.of(LocalNames.of(each.getFileName()).bytes()))
                    .sorted()
                    .toList();
        }
    }

    private Path source() throws Exception {
        var source = Files.createDirectory(directory.resolve("source"));
        for (var name : NAMES) {
            try {
                Files.write(latin(source, name), latin(name));
            } catch (IOException | InvalidPathException impossible) {
                assumeTrue(false, "this file system has names in UTF-8 only");
            }
        }
        Files.createSymbolicLink(latin(source, "l\u00e9"), LocalNames.path(latin("../caf\u00e9")));
        return source;
    }

    @Test
    void copiesNamesOfAnyBytesBothWays() throws Exception {
        var source = source();
        console.succeeds("put", "-r", source.toString(), url);
        assertTrue(console.err().startsWith("6 files, "), console::err);
        assertEquals(names(source), names(exported.resolve("source")));
        var back = directory.resolve("back");
        console.succeeds("get", "-r", url + "/source", back.toString());
        assertEquals(names(source), names(back));
        for (var name : NAMES) {
            assertArrayEquals(latin(name), Files.readAllBytes(latin(back, name)));
        }
        assertEquals(
                LocalNames.path(latin("../caf\u00e9")),
                Files.readSymbolicLink(latin(back, "l\u00e9")));
        console.succeeds("rm", "-r", url + "/source");
        assertEquals(List.of(), names(exported));
    }

    @Test
    void printsTheBytesOfNamesWhereNoTerminalIs() throws Exception {
        console.succeeds("put", "-r", source().toString(), url);
        console.succeeds("ls", url + "/source");
        var expected = names(directory.resolve("source"));
        assertEquals(String.join("\n", expected) + "\n", console.out());
        console.succeeds("ls", "--json", url + "/source");
        for (var escaped :
                List.of("\"x\\udce9\"", "\"x\\udce8\"", "\"y\\udcff\\u000a\\u001b[31m\"")) {
            assertTrue(console.out().contains("\"name\":" + escaped), console::out);
        }
        assertTrue(console.out().contains("\"target\":\"../caf\\udce9\""), console::out);
        console.succeeds("tree", url + "/source");
        assertTrue(console.out().contains(" -> ../caf\udce9\n"), console::out);
    }

    @Test
    void takesNamesOfAnyBytesInUrlsAndArguments() throws Exception {
        var source = source();
        console.succeeds("put", source + "/x\udce9", url + "/y%E9");
        assertEquals(List.of("y\udce9"), names(exported));
        console.succeeds("mv", url + "/y\udce9", "/data/z\udce8");
        assertEquals(List.of("z\udce8"), names(exported));
        console.succeeds("get", url + "/z%E8", directory + "/w\udcff");
        assertArrayEquals(latin("x\u00e9"), Files.readAllBytes(latin(directory, "w\u00ff")));
        console.succeeds("mkdir", url + "/%FF%0A");
        console.succeeds("rm", "-d", url + "/%FF%0A");
        console.succeeds("rm", url + "/z%E8");
        assertEquals(List.of(), names(exported));
    }

    @Test
    void takesNamesOfAnyBytesForTracesAndCaptures() throws Exception {
        source();
        var trace = directory + "/trace\udce9";
        console.succeeds("ls", "--vers", "3", "--trace", trace, url);
        assertTrue(Files.size(latin(directory, "trace\u00e9")) > 0);
        console.succeeds("dissect", "--calls", trace);
        assertTrue(console.out().contains("NFSv3 READDIR"), console::out);
    }

    @Test
    void takesTheBytesOfArgumentsFromTheSystem() {
        var line = latin("java\0-cp\0a\0Main\0put\0x\u00e9\0\0");
        var decoded = new String[] {"put", "x\ufffd", ""};
        assertArrayEquals(new String[] {"put", "x\udce9", ""}, RawArguments.last(decoded, line));
        var more = Arrays.copyOf(decoded, 9);
        assertArrayEquals(more, RawArguments.last(more, line));
        // A program may call the command with other arguments than those of the process.
        var others = new String[] {"get", "x\ufffd", ""};
        assertArrayEquals(others, RawArguments.last(others, line));
    }

    @Test
    void isNotTiedToTheLocale() throws Exception {
        var source = source();
        var name = source + "/x\u00e9";
        var script = "exec \"$0\" \"$@\" \"$(printf '" + source + "/x\\351')\" " + url + "/c";
        assertTrue(Files.exists(latin(source, "x\u00e9"), LinkOption.NOFOLLOW_LINKS), name);
        var ended = CommandProcess.ofShell(script, "put");
        assertEquals(0, ended.status(), ended.errLines()::toString);
        assertArrayEquals(latin("x\u00e9"), Files.readAllBytes(exported.resolve("c")));
    }

    private Path latinDirectory() throws Exception {
        try {
            return Files.createDirectory(latin(directory, "caf\u00e9"));
        } catch (IOException | InvalidPathException impossible) {
            assumeTrue(false, "this file system has names in UTF-8 only");
            throw impossible;
        }
    }

    private void succeedsIn(String shellName, String... arguments) throws Exception {
        var script = "cd \"$(printf '" + directory + "/" + shellName + "')\" && exec \"$0\" \"$@\"";
        var ended = CommandProcess.ofShell(script, arguments);
        assertEquals(0, ended.status(), ended.errLines()::toString);
    }

    @Test
    void resolvesRelativePathsFromTheBytesOfTheWorkingDirectory() throws Exception {
        var there = latinDirectory();
        var decoded = Files.createDirectory(directory.resolve("caf\ufffd"));
        Files.writeString(exported.resolve("file"), "hello");
        succeedsIn("caf\\351", "get", url + "/file", "got", "--trace", "trace");
        assertEquals("hello", Files.readString(there.resolve("got")));
        succeedsIn("caf\\351", "put", "got", url + "/put");
        assertEquals("hello", Files.readString(exported.resolve("put")));
        succeedsIn("caf\\351", "get", url + "/file", ".");
        succeedsIn("caf\\351", "dissect", "trace");
        assertEquals(List.of("file", "got", "trace"), names(there));
        assertEquals(List.of(), names(decoded));
    }
}
