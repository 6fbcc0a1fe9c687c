package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: no source of a command replaces the copy of another source of the command. */
class SeveralSourcesTest extends ServedCopies {
    private void makeSources(Path in) throws Exception {
        make(
                "mkdir -p da/t/d db/t/d && echo 1 > da/x && echo 2 > db/x && echo 1 > da/t/x"
                        + " && echo 2 > db/t/x && echo 2 > db/t/y && ln -s one da/t/d/link"
                        + " && ln -s two db/t/d/link && echo 2 > db/t/d/z",
                in);
    }

    private void failsBut(String totals, List<String> lines, String... arguments) {
        assertEquals(1, console.run(arguments), console::err);
        var all = console.errLines();
        assertEquals(
                lines.stream().sorted().toList(),
                all.subList(0, all.size() - 1).stream().sorted().toList());
        assertTrue(all.getLast().startsWith(totals), console::err);
    }

    private static String refused(String from, String to) {
        return "rpcrdma: cannot copy %s: it would replace %s, which was just copied from another source"
                .formatted(from, to);
    }

    @Test
    void putKeepsTheFirstOfTwoFilesOfOneName() throws Exception {
        makeSources(local);
        Files.writeString(exported.resolve("x"), "old");
        failsBut(
                "1 file, 2 bytes",
                List.of(refused(local + "/db/x", "/data/x")),
                "put",
                local + "/da/x",
                local + "/db/x",
                url);
        assertEquals("1\n", Files.readString(exported.resolve("x")));
        // Another command replaces the file.
        console.succeeds("put", local + "/db/x", url);
        assertEquals("2\n", Files.readString(exported.resolve("x")));
    }

    @Test
    void putMergesTwoDirectoriesOfOneNameButNoFiles() throws Exception {
        makeSources(local);
        var lines =
                List.of(
                        refused(local + "/db/t/x", "/data/t/x"),
                        refused(local + "/db/t/d/link", "/data/t/d/link"));
        for (var options : List.of("-rn", "-r")) {
            assertEquals(
                    1,
                    console.run("put", options, local + "/da/t", local + "/db/t", url),
                    console::err);
            assertTrue(console.errLines().containsAll(lines), console::err);
        }
        requireMerged(exported.resolve("t"));
    }

    private static void requireMerged(Path tree) throws Exception {
        assertEquals("1\n", Files.readString(tree.resolve("x")));
        assertEquals("2\n", Files.readString(tree.resolve("y")));
        assertEquals("2\n", Files.readString(tree.resolve("d/z")));
        assertEquals(Path.of("one"), Files.readSymbolicLink(tree.resolve("d/link")));
    }

    @Test
    void putTakesTheSecondFileIfTheFirstIsNotThere() throws Exception {
        makeSources(local);
        failsBut(
                "1 file, 2 bytes",
                List.of("rpcrdma: " + local + "/none/x: no such file or directory"),
                "put",
                local + "/none/x",
                local + "/db/x",
                url);
        assertEquals("2\n", Files.readString(exported.resolve("x")));
    }

    @Test
    void getKeepsTheFirstOfTwoFilesOfOneName() throws Exception {
        makeSources(exported);
        failsBut(
                "1 file, 2 bytes",
                List.of(refused("/data/db/x", local + "/x")),
                "get",
                url + "/da/x",
                url + "/db/x",
                local.toString());
        assertEquals("1\n", Files.readString(local.resolve("x")));
        assertEquals(1, console.run("get", "-n", url + "/da/x", url + "/db/x", local + "/"));
        console.succeeds("get", url + "/db/x", local.toString());
        assertEquals("2\n", Files.readString(local.resolve("x")));
    }

    @Test
    void getMergesTwoDirectoriesOfOneNameButNoFiles() throws Exception {
        makeSources(exported);
        failsBut(
                "4 files",
                List.of(
                        refused("/data/db/t/x", local + "/t/x"),
                        refused("/data/db/t/d/link", local + "/t/d/link")),
                "get",
                "-r",
                url + "/da/t",
                url + "/db/t",
                local.toString());
        requireMerged(local.resolve("t"));
    }

    /** Goal: two names of one local file do not hide that it is one. */
    @Test
    void getKeepsTheFirstOfTwoFilesThatOneLinkLeadsTo() throws Exception {
        makeSources(exported);
        Files.writeString(exported.resolve("y"), "3\n");
        Files.writeString(local.resolve("y"), "old");
        Files.createSymbolicLink(local.resolve("x"), Path.of("y"));
        for (var sources : List.of(List.of("/da/x", "/y"), List.of("/y", "/da/x"))) {
            assertEquals(
                    1,
                    console.run(
                            "get",
                            url + sources.getFirst(),
                            url + sources.getLast(),
                            local.toString()),
                    console::err);
            assertTrue(console.err().contains("just copied from another source"), console::err);
            assertEquals(
                    Files.readString(exported.resolve(sources.getFirst().substring(1))),
                    Files.readString(local.resolve("y")));
        }
    }

    /** Goal: a server that sends a link first does not choose where the second file is written. */
    @Test
    void getFollowsNoLinkThatItHasJustMade() throws Exception {
        makeSources(exported);
        var outside = Files.writeString(local.resolve("outside"), "mine");
        var target = Files.createDirectory(local.resolve("target"));
        Files.delete(exported.resolve("da/x"));
        Files.createSymbolicLink(exported.resolve("da/x"), outside);
        failsBut(
                "1 file",
                List.of(refused("/data/db/x", target + "/x")),
                "get",
                "-a",
                url + "/da/x",
                url + "/db/x",
                target.toString());
        assertEquals("mine", Files.readString(outside));
        assertTrue(Files.isSymbolicLink(target.resolve("x")));
    }
}
