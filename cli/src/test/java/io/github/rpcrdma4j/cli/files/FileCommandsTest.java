package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.JsonText;
import io.github.rpcrdma4j.cli.ServedCopies;
import io.github.rpcrdma4j.cli.terminal.Colors;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: commands that look at files and change them do what those of the system do. Method: compare
 * with the system's, over the versions of NFS that the client speaks.
 */
class FileCommandsTest extends ServedCopies {
    private String[] with(String version, String command, String... arguments) {
        return Stream.concat(Stream.of(command, "--vers", version), Stream.of(arguments))
                .toArray(String[]::new);
    }

    private void succeeds(String version, String command, String... arguments) {
        console.succeeds(with(version, command, arguments));
    }

    private List<String> printedBy(String script) throws Exception {
        var process =
                new ProcessBuilder("sh", "-c", script)
                        .directory(exported.toFile())
                        .redirectErrorStream(true)
                        .start();
        try (var reader = process.inputReader()) {
            return reader.lines().toList();
        }
    }

    private void makeTree() throws Exception {
        make(
                "mkdir -p t/a/b t/c && head -c 100000 /dev/zero > t/a/big.log && echo x > t/a/b/small"
                        + " && ln t/a/big.log t/c/again && ln -s a t/link && mkfifo t/c/fifo"
                        + " && touch -d 2001-01-01 t/c/old.log && touch 't/with space'",
                exported);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void findsWhatTheSystemFinds(String version) throws Exception {
        makeTree();
        var conditions = new ArrayList<List<String>>();
        conditions.add(List.of("", ""));
        conditions.add(List.of("--name *.log", "-name '*.log'"));
        conditions.add(List.of("--type d", "-type d"));
        conditions.add(List.of("--type lp", "-type l,p"));
        conditions.add(List.of("--size +99999", "-type f -size +99999c"));
        conditions.add(List.of("--size -3", "-type f -size -3c"));
        conditions.add(List.of("--older 2002-01-01", "! -newermt 2002-01-01"));
        conditions.add(List.of("--newer 1h", "-mmin -60"));
        conditions.add(List.of("--max-depth 1", "-maxdepth 1"));
        conditions.add(List.of("--max-depth 0", "-maxdepth 0"));
        for (var each : conditions) {
            var options = each.getFirst().isEmpty() ? new String[0] : each.getFirst().split(" ");
            succeeds(
                    version,
                    "find",
                    Stream.concat(Stream.of(url + "/t"), Stream.of(options))
                            .toArray(String[]::new));
            var found = console.out().lines().sorted().toList();
            var wanted =
                    printedBy("find t " + each.getLast()).stream()
                            .map(name -> url + "/" + name)
                            .sorted()
                            .toList();
            assertEquals(wanted, found, each::toString);
        }
    }

    @Test
    void findsFilesForOtherCommands() throws Exception {
        makeTree();
        console.succeeds("find", "-0", "--name", "with*", url);
        assertEquals(url + "/t/with space\0", console.out());
        console.succeeds("find", "--json", "--type", "l", url);
        new JsonText(console.out()).whole();
        assertTrue(console.out().contains("\"target\":\"a\""), console::out);
        console.succeeds("find", "--json", "--name", "none", url);
        assertEquals("[]\n", console.out());
        assertEquals(2, console.run("find", "--name", "[", url));
        assertEquals(2, console.run("find", "--size", "x", url));
        assertEquals(2, console.run("find", "--type", "x", url));
        console.failsWithOneLine("no such file", "find", url + "/missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void countsStorageAsTheSystemDoes(String version) throws Exception {
        makeTree();
        for (var options : List.of("", "-a", "-s", "-d 1")) {
            var words = options.isEmpty() ? new String[0] : options.split(" ");
            succeeds(
                    version,
                    "du",
                    Stream.concat(Stream.of(url + "/t"), Stream.of(words)).toArray(String[]::new));
            var counted = console.out().lines().map(line -> line.replaceAll(" +", " ")).toList();
            var wanted = printedBy("du --block-size=1 " + options + " t");
            assertEquals(wanted.size(), counted.size(), options);
            var total = wanted.getLast().replace("\tt", " /data/t");
            assertTrue(counted.contains(total), () -> total + " in " + counted);
        }
        succeeds(version, "du", "-sb", "--json", url + "/t/a/b/small");
        assertEquals("[{\"path\":\"/data/t/a/b/small\",\"bytes\":2}]\n", console.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void showsTheSpaceOfExports(String version) throws Exception {
        succeeds(version, "df", url);
        var lines = console.out().lines().toList();
        assertEquals(2, lines.size(), console::out);
        assertTrue(lines.get(1).endsWith(" /data"), console::out);
        succeeds(version, "df", url.replace("/data", "/"));
        assertEquals(
                lines.get(1).split(" +")[1], console.out().lines().toList().get(1).split(" +")[1]);
        succeeds(version, "df", "-h", url);
        assertTrue(console.out().matches("(?s).*\\b[0-9.]+[KMGTP] .*"), console::out);
        succeeds(version, "df", "--json", url);
        new JsonText(console.out()).whole();
        var total = Files.getFileStore(exported).getTotalSpace();
        if (version.equals("3")) {
            assertTrue(console.out().contains("\"totalBytes\":" + total + ","), console::out);
        }
        console.failsWithOneLine(
                "no export contains", with(version, "df", url.replace("data", "none")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void changesModes(String version) throws Exception {
        makeTree();
        make("chmod -R u=rwX,go= t", exported);
        succeeds(version, "chmod", "-R", "g+rX", url + "/t");
        assertEquals("rwxr-x---", mode(exported.resolve("t/a/b")));
        assertEquals("rw-r-----", mode(exported.resolve("t/a/b/small")));
        succeeds(version, "chmod", "600", url + "/t/a/big.log", url + "/t/with space");
        assertEquals("rw-------", mode(exported.resolve("t/a/big.log")));
        assertEquals("rw-------", mode(exported.resolve("t/with space")));
        succeeds(version, "chmod", "--json", "o+r", url + "/t/link");
        new JsonText(console.out()).whole();
        assertEquals("rwxr-xr--", mode(exported.resolve("t/a")));
        // The owner loses the right to go into directories, after the files in them are changed.
        succeeds(version, "chmod", "-R", "a-rwx", url + "/t");
        assertEquals("---------", mode(exported.resolve("t")));
        assertEquals(2, console.run("chmod", "u+q", url + "/t"));
        make("chmod -R u=rwX t", exported);
        assertEquals("rw-------", mode(exported.resolve("t/a/b/small")));
    }

    @Test
    void goesOnWhenOneOfSeveralFails() throws Exception {
        Files.writeString(exported.resolve("b"), "b");
        assertEquals(1, console.run("chmod", "600", url + "/none", url + "/b"));
        assertEquals(1, console.errLines().size(), console::err);
        assertEquals("rw-------", mode(exported.resolve("b")));
        assertEquals(1, console.run("rm", "--json", url + "/none", url + "/b"));
        assertEquals("{\"removed\":1}\n", console.out());
        assertEquals(List.of(), names(exported));
        console.succeeds("rm", "-f", url + "/none");
    }

    @Test
    void changesOwners() throws Exception {
        assumeTrue(isRoot(), "only root gives files away");
        makeTree();
        console.succeeds("chown", "-R", "7:8", url + "/t");
        for (var each : List.of("t", "t/a/b/small", "t/link")) {
            var file = exported.resolve(each);
            assertEquals(7, Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS));
            assertEquals(8, Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS));
        }
        console.succeeds("chown", ":root", url + "/t/a");
        assertEquals(7, Files.getAttribute(exported.resolve("t/a"), "unix:uid"));
        assertEquals(0, Files.getAttribute(exported.resolve("t/a"), "unix:gid"));
        assertEquals(2, console.run("chown", "no-such-user", url + "/t"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void makesLinks(String version) throws Exception {
        Files.writeString(exported.resolve("file"), "x");
        Files.createDirectory(exported.resolve("d"));
        succeeds(version, "ln", url + "/file", "/data/other");
        make("test file -ef other", exported);
        succeeds(version, "ln", url + "/file", url + "/d");
        make("test file -ef d/file", exported);
        succeeds(version, "ln", "-s", "any text", url + "/link");
        assertEquals(Path.of("any text"), Files.readSymbolicLink(exported.resolve("link")));
        console.failsWithOneLine("file exists", with(version, "ln", "-s", "x", url + "/file"));
        console.failsWithOneLine("same file", with(version, "ln", url + "/file", "/data/other"));
        Files.writeString(exported.resolve("there"), "there");
        console.failsWithOneLine("file exists", with(version, "ln", url + "/file", url + "/there"));
        assertEquals("there", Files.readString(exported.resolve("there")));
        assertEquals(2, console.run("ln", "file", url + "/y"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void setsTimesAndMakesFiles(String version) throws Exception {
        var start = Instant.now().minusSeconds(2);
        Files.writeString(exported.resolve("there"), "content");
        Files.setLastModifiedTime(exported.resolve("there"), FileTime.from(Instant.EPOCH));
        succeeds(version, "touch", url + "/there", url + "/made");
        assertEquals("content", Files.readString(exported.resolve("there")));
        assertEquals(0, Files.size(exported.resolve("made")));
        for (var each : List.of("there", "made")) {
            assertTrue(
                    Files.getLastModifiedTime(exported.resolve(each)).toInstant().isAfter(start));
        }
        succeeds(version, "touch", "-d", "2001-02-03T04:05:06Z", url + "/there");
        assertEquals(
                Instant.parse("2001-02-03T04:05:06Z"),
                Files.getLastModifiedTime(exported.resolve("there")).toInstant());
        succeeds(version, "touch", "-c", url + "/none");
        assertFalse(Files.exists(exported.resolve("none")));
        assertEquals(2, console.run(with(version, "touch", "-d", "1960-01-01", url + "/there")));
        assertEquals(2, console.run("touch", "-d", "nonsense", url + "/there"));
        console.failsWithOneLine("not a directory", with(version, "touch", url + "/there/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void copiesOnTheServer(String version) throws Exception {
        var bytes = new byte[3_000_001];
        new Random(bytes.length).nextBytes(bytes);
        Arrays.fill(bytes, 1 << 20, 2 << 20, (byte) 0);
        var source = Files.write(exported.resolve("file"), bytes);
        withMode(source, "rwxr-x---");
        Files.setLastModifiedTime(source, FileTime.from(Instant.ofEpochSecond(1_000_000_000)));
        succeeds(version, "cp", url + "/file", "/data/copy");
        assertArrayEquals(bytes, Files.readAllBytes(exported.resolve("copy")));
        assertEquals("rwxr-x---", mode(exported.resolve("copy")));
        succeeds(version, "cp", "-p", url + "/file", url + "/kept");
        assertEquals(
                Instant.ofEpochSecond(1_000_000_000),
                Files.getLastModifiedTime(exported.resolve("kept")).toInstant());
        Files.createSymbolicLink(exported.resolve("link"), Path.of("copy"));
        Files.writeString(exported.resolve("small"), "small");
        succeeds(version, "cp", url + "/small", "/data/link");
        assertTrue(Files.isSymbolicLink(exported.resolve("link")));
        assertEquals("small", Files.readString(exported.resolve("copy")));
        console.failsWithOneLine(
                "they are the same file", with(version, "cp", url + "/copy", "/data/link"));
        console.failsWithOneLine(
                "they are the same file", with(version, "cp", url + "/copy", "/data/copy"));
        assertEquals("small", Files.readString(exported.resolve("copy")));
    }

    @Test
    void copiesTreesOnTheServer() throws Exception {
        makeTree();
        console.failsWithOneLine("copy it with -r", "cp", url + "/t", "/data/u");
        console.succeeds("cp", "-a", url + "/t", "/data/u");
        make("diff -r --no-dereference t/a u/a && test u/a/big.log -ef u/c/again", exported);
        make("test -p u/c/fifo && test $(readlink u/link) = a", exported);
        console.succeeds("cp", "-r", url + "/t/a", url + "/u/");
        make("diff -r t/a u/a && test ! u/a/big.log -ef u/c/again", exported);
        console.failsWithOneLine("below itself", "cp", "-r", url + "/t", "/data/t/a/x");
        Files.createSymbolicLink(exported.resolve("way"), Path.of("t/a"));
        assertEquals(1, console.run("cp", "-r", url + "/t", "/data/way/x"));
        assertTrue(console.err().contains("into itself"), console::err);
        assertFalse(Files.exists(exported.resolve("t/a/x/a/x/a")));
    }

    @Test
    void copiesHolesAsHoles() throws Exception {
        make(
                "truncate -s 20M holes && printf abc | dd of=holes bs=1 seek=9000000 conv=notrunc",
                exported);
        console.succeeds("cp", url + "/holes", "/data/copy");
        make("cmp holes copy && test $(stat -c %b copy) -lt 8192", exported);
    }

    @Test
    void makesDirectoriesWithThoseAbove() throws Exception {
        console.succeeds("mkdir", "-p", url + "/a/b/c", url + "/a/d");
        assertTrue(Files.isDirectory(exported.resolve("a/b/c")));
        console.succeeds("mkdir", "-p", url + "/a/b/c");
        Files.writeString(exported.resolve("file"), "x");
        console.failsWithOneLine("file exists", "mkdir", "-p", url + "/file/a");
        console.succeeds("mkdir", "--json", url + "/e");
        new JsonText(console.out()).whole();
    }

    @Test
    void listsBySize() throws Exception {
        make(
                "mkdir s && cd s && printf abc >b && printf abc >a && printf abcd >c && : >d",
                exported);
        console.succeeds("ls", "-S", url + "/s");
        assertEquals("c\na\nb\nd\n", console.out());
        console.succeeds("ls", "-S", "-r", url + "/s");
        assertEquals("d\nb\na\nc\n", console.out());
    }

    @Test
    void listsByTimeAndRecursively() throws Exception {
        makeTree();
        make("touch -d 2002-01-01 t/c/again && touch -d 2003-01-01 t/c/fifo", exported);
        console.succeeds("ls", "-t", url + "/t/c");
        assertEquals("fifo\nagain\nold.log\n", console.out());
        console.succeeds("ls", "-tr", url + "/t/c");
        assertEquals("old.log\nagain\nfifo\n", console.out());
        console.succeeds("ls", "-R", url + "/t");
        assertEquals(
                """
                /data/t:
                a
                c
                link
                with space

                /data/t/a:
                b
                big.log

                /data/t/a/b:
                small

                /data/t/c:
                again
                fifo
                old.log
                """,
                console.out());
        console.succeeds("ls", "-R", "--json", url + "/t");
        new JsonText(console.out()).whole();
        assertTrue(console.out().contains("\"directory\":\"/data/t/a/b\""), console::out);
        console.succeeds("ls", url + "/t/a", url + "/t/a/b/small");
        assertEquals("/data/t/a:\nb\nbig.log\nsmall\n", console.out());
        assertEquals(1, console.run("ls", url + "/none", url + "/t/a/b"));
        assertEquals("/data/t/a/b:\nsmall\n", console.out());
    }

    @Test
    void showsTreesWithTheirLines() throws Exception {
        makeTree();
        console.succeeds("tree", url + "/t");
        assertEquals(
                url
                        + """
                        /t
                        ├── a
                        │   ├── b
                        │   │   └── small
                        │   └── big.log
                        ├── c
                        │   ├── again
                        │   ├── fifo
                        │   └── old.log
                        ├── link -> a
                        └── with space
                        3 directories, 7 files
                        """,
                console.out());
        console.succeeds("tree", "--json", url + "/t");
        new JsonText(console.out()).whole();
        assertTrue(console.out().contains("\"name\":\"/data/t/a/b/small\""), console::out);
    }

    @Test
    void colorsNamesOnlyForTerminalsOfUsersWhoWantThat() throws Exception {
        var terminal = Map.of("TERM", "xterm");
        assertTrue(Colors.of(true, terminal).isOn());
        assertFalse(Colors.of(false, terminal).isOn());
        assertFalse(Colors.of(true, Map.of("TERM", "dumb")).isOn());
        assertFalse(Colors.of(true, Map.of("TERM", "xterm", "NO_COLOR", "1")).isOn());
        assertTrue(Colors.of(true, Map.of("TERM", "xterm", "NO_COLOR", "")).isOn());
        Files.createDirectory(exported.resolve("d"));
        console.succeeds("ls", url);
        assertEquals("d\n", console.out());
    }
}
