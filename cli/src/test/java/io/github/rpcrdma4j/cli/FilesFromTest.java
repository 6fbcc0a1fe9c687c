package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: {@code --files-from} copies the listed files, and names those that are not there. */
class FilesFromTest extends ServedCopies {
    private static final String TREE =
            "mkdir -p s/a/b/deep s/c/d && echo 1 > s/a/b/f && echo 2 > s/c/g && echo 3 > s/x"
                    + " && echo 4 > s/c/d/h && echo 5 > s/a/b/deep/i && ln -s c s/l"
                    + " && echo 6 > 's/new\nline' && chmod 710 s/a";

    private record Row(String list, List<String> options, List<String> copied) {}

    /** What sync copies. Written down from the answers of rsync 3.5.0. */
    private static final List<Row> TABLE =
            List.of(
                    new Row("a/b/f\n../x\n#x\n\n", List.of(), List.of("a", "a/b", "a/b/f", "x")),
                    new Row("/c\nl\n", List.of(), List.of("c", "l")),
                    new Row("c/", List.of(), List.of("c", "c/d", "c/g")),
                    new Row(
                            "c\na/b/",
                            List.of("-r"),
                            List.of(
                                    "a",
                                    "a/b",
                                    "a/b/deep",
                                    "a/b/deep/i",
                                    "a/b/f",
                                    "c",
                                    "c/d",
                                    "c/d/h",
                                    "c/g")),
                    new Row("new\nline\0x\0", List.of("-0"), List.of("new\nline", "x")),
                    new Row(
                            "c\nx",
                            List.of("-r", "--exclude=g", "--exclude=/x"),
                            List.of("c", "c/d", "c/d/h")),
                    new Row("a/b/f", List.of("--exclude=b"), List.of("a", "a/b", "a/b/f")));

    @BeforeEach
    void makeTrees() throws Exception {
        make(TREE, local);
        make(TREE, exported);
    }

    private Path list(String text) throws Exception {
        return Files.writeString(local.resolve("list"), text);
    }

    private static List<String> tree(Path top) throws Exception {
        try (var all = Files.walk(top)) {
            return all.skip(1).map(each -> top.relativize(each).toString()).sorted().toList();
        }
    }

    private void sync(Row row, String from, String to) {
        var words = new ArrayList<>(List.of("sync"));
        words.addAll(row.options);
        words.addAll(List.of("--files-from", local + "/list", from, to));
        console.succeeds(words.toArray(String[]::new));
    }

    @Test
    void copiesWhatRsyncCopies() throws Exception {
        boolean hasRsync = Files.isExecutable(Path.of("/usr/bin/rsync"));
        for (var row : TABLE) {
            list(row.list);
            for (var slash : List.of("", "/")) {
                make("rm -rf r t && mkdir r t", local);
                make("rm -rf t && mkdir t", exported);
                sync(row, local + "/s" + slash, url + "/t");
                assertEquals(row.copied, tree(exported.resolve("t")), row::toString);
                sync(row, url + "/s" + slash, local + "/t");
                assertEquals(row.copied, tree(local.resolve("t")), row::toString);
                if (hasRsync) {
                    var options = String.join(" ", row.options);
                    make("rsync -a " + options + " --files-from=list s" + slash + " r", local);
                    assertEquals(row.copied, tree(local.resolve("r")), row::toString);
                }
            }
            sync(row, url + "/s", local + "/t");
            assertTrue(console.err().contains("0 bytes"), console::err);
        }
        assertEquals("rwx--x---", mode(local.resolve("t/a")));
    }

    @Test
    void namesEachListedFileThatIsNotThere() throws Exception {
        list("none\nx\na/none/f\nx/y\nl/g\n");
        for (var each : List.of("sync", "put")) {
            assertEquals(
                    1,
                    console.run(
                            each, "--files-from", local + "/list", local + "/s", url + "/" + each));
            assertEquals(
                    List.of("none", "x/y", "a/none/f", "l/g").stream()
                            .sorted()
                            .map(
                                    name ->
                                            "rpcrdma: cannot read "
                                                    + local
                                                    + "/s/"
                                                    + name
                                                    + ": no such file or directory")
                            .toList(),
                    console.errLines().stream()
                            .filter(line -> line.startsWith("rpcrdma"))
                            .sorted()
                            .toList());
            assertEquals(List.of("a", "x"), tree(exported.resolve(each)));
        }
        assertEquals(
                1, console.run("get", "--files-from", local + "/list", url + "/s", local + "/g"));
        assertEquals(List.of("a", "x"), tree(local.resolve("g")));
        assertTrue(
                console.err()
                        .contains(
                                "rpcrdma: cannot read "
                                        + url
                                        + "/s/none: no such file or directory"),
                console::err);
    }

    @Test
    void copiesIntoTheTargetItselfWithPutAndGet() throws Exception {
        list("a/b\nx\n");
        make("mkdir t", exported);
        console.succeeds("put", "-a", "--files-from", local + "/list", local + "/s", url + "/t");
        assertEquals(List.of("a", "a/b", "x"), tree(exported.resolve("t")));
        console.succeeds("get", "-rp", "--files-from", local + "/list", url + "/s", local + "/u");
        assertEquals(
                List.of("a", "a/b", "a/b/deep", "a/b/deep/i", "a/b/f", "x"),
                tree(local.resolve("u")));
        console.succeeds("get", "-n", "--files-from", local + "/list", url + "/s", local + "/v");
        assertTrue(Files.notExists(local.resolve("v")));
    }

    @Test
    void refusesWhatMakesNoSense() throws Exception {
        var list = list("x").toString();
        for (var each :
                List.of(
                        List.of("sync", "--delete", "--files-from", list, local + "/s", url + "/t"),
                        List.of("put", "--files-from", list, local + "/s", local + "/t", url),
                        List.of("get", "--files-from", list, url + "/s", "-"),
                        List.of("get", "-0", url + "/s/x", local.toString()))) {
            assertEquals(2, console.run(each.toArray(String[]::new)), console::err);
        }
        assertEquals(1, console.run("put", "--files-from", local + "/none", local + "/s", url));
        assertEquals(1, console.errLines().size(), console::err);
        assertTrue(console.err().contains(local + "/none"), console::err);
        assertEquals(1, console.run("get", "--files-from", list, url + "/s/x", local + "/t"));
        assertEquals(1, console.run("put", "--files-from", list, local + "/s/x", url + "/t"));
        assertEquals(1, console.run("sync", "--files-from", list, url + "/s/x", local + "/t"));
        make("test ! -e t", local);
    }
}
