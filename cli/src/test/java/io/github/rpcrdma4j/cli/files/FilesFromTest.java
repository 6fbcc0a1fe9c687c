package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
                    new Row("a/b/f", List.of("--exclude=b"), List.of("a", "a/b", "a/b/f")),
                    new Row("a/b\na/b/f", List.of("--exclude=b"), List.of("a", "a/b", "a/b/f")),
                    new Row("a/b", List.of("--exclude=b"), List.of()),
                    new Row("a/b/f", List.of("--exclude=f"), List.of()),
                    new Row("a/b/f\nc/d/h", List.of("--exclude=f"), List.of("c", "c/d", "c/d/h")),
                    new Row(
                            "a/b/f\na/b/deep/i",
                            List.of("--exclude=i"),
                            List.of("a", "a/b", "a/b/f")),
                    new Row("a/b/", List.of("--exclude=f"), List.of("a", "a/b", "a/b/deep")),
                    new Row(
                            "a/b/deep/i\na",
                            List.of("-r", "--exclude=b"),
                            List.of("a", "a/b", "a/b/deep", "a/b/deep/i")),
                    new Row("a/b/f", List.of("--include=*/", "--exclude=*"), List.of()));

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
        list("a/b/f");
        copies(0, "sync", url + "/s", local + "/t");
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
            assertEquals(List.of("x"), tree(exported.resolve(each)));
        }
        assertEquals(
                1, console.run("get", "--files-from", local + "/list", url + "/s", local + "/g"));
        assertEquals(List.of("x"), tree(local.resolve("g")));
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

    /** Returns the mode and time of a directory; not the time if it is not that of a source. */
    private static String attributes(Path directory) throws Exception {
        var time = Files.getLastModifiedTime(directory).toInstant();
        boolean isNew = time.isAfter(Instant.parse("2010-01-01T00:00:00Z"));
        return mode(directory) + ' ' + (isNew ? "new" : time);
    }

    private void copies(int status, String command, String from, String to) {
        var words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of("--files-from", local + "/list", from, to));
        assertEquals(status, console.run(words.toArray(String[]::new)), console::err);
    }

    @Test
    void givesTheTargetAttributesOnlyIfTheListNamesIt() throws Exception {
        for (var where : List.of(local, exported)) {
            make("mkdir u && mv s u/s && chmod 750 u/s && touch -d 2001-02-03Z u/s", where);
        }
        boolean hasRsync = Files.isExecutable(Path.of("/usr/bin/rsync"));
        make("mkdir n", local);
        var usual = mode(local.resolve("n"));
        for (boolean isThere : List.of(true, false)) {
            var prepare =
                    "rm -rf t"
                            + (isThere
                                    ? " && mkdir t && chmod 771 t && touch -d 2002-03-04Z t"
                                    : "");
            for (var list : List.of("a/b/f", ".", "./\nx", "x\na/..", "/", "none")) {
                list(list);
                int status = list.equals("none") ? 1 : 0;
                if (!isThere && status == 1) {
                    // rsync makes no target for nothing.
                    continue;
                }
                boolean isNamed = List.of(".", "./\nx", "x\na/..", "/").contains(list);
                var wanted =
                        isNamed
                                ? "rwxr-x--- 2001-02-03T00:00:00Z"
                                : (isThere ? "rwxrwx--x" : usual)
                                        + (isThere && status == 1
                                                ? " 2002-03-04T00:00:00Z"
                                                : " new");
                var shown = list + (isThere ? ", there" : ", missing");
                if (hasRsync) {
                    make(prepare, local);
                    make("rsync -a --files-from=list u/s t || test $? = 23", local);
                    assertEquals(wanted, attributes(local.resolve("t")), shown);
                }
                for (var each : List.of("sync", "put -a")) {
                    make(prepare, exported);
                    copies(status, each, local + "/u/s", url + "/t");
                    assertEquals(wanted, attributes(exported.resolve("t")), each + ' ' + shown);
                }
                for (var each : List.of("sync", "get -a")) {
                    make(prepare, local);
                    copies(status, each, url + "/u/s", local + "/t");
                    assertEquals(wanted, attributes(local.resolve("t")), each + ' ' + shown);
                }
            }
        }
    }

    @Test
    void triesToSetTheAttributesOfTheTargetOnlyIfTheListNamesIt() throws Exception {
        for (var where : List.of(local, exported)) {
            make("chmod 750 s && mkdir t && chmod 771 t", where);
        }
        for (var row : Map.of("x", false, ".", true).entrySet()) {
            list(row.getKey());
            copies(0, "sync -n", local + "/s", url + "/t");
            assertEquals(
                    row.getValue(),
                    console.out().contains("set the attributes of /data/t\n"),
                    console::out);
            copies(0, "sync -n", url + "/s", local + "/t");
            assertEquals(
                    row.getValue(),
                    console.out().contains("set the attributes of " + local + "/t\n"),
                    console::out);
        }
    }

    @Test
    void followsNoListedLink() throws Exception {
        make("mkdir o && echo 1 > o/f && ln -s ../o s/o && ln -s ../o/f s/of", local);
        make("mkdir o && echo 1 > o/f && ln -s ../o s/o && ln -s ../o/f s/of", exported);
        for (var command : List.of("put -a", "sync", "sync -r")) {
            make("rm -rf t && mkdir t", exported);
            list("o/f\no/\nof\nl\n");
            copies(1, command, local + "/s", url + "/t");
            assertEquals(List.of("l", "o", "of"), tree(exported.resolve("t")));
            make("test -L t/o && test -L t/of && test -L t/l", exported);
        }
        for (var command : List.of("get -a", "sync", "sync -r")) {
            make("rm -rf t && mkdir t", local);
            copies(1, command, url + "/s", local + "/t");
            assertEquals(List.of("l", "o", "of"), tree(local.resolve("t")));
            make("test -L t/o && test -L t/of && test -L t/l", local);
        }
    }

    @Test
    void controlsNoTerminalWithTheNamesOfAList() throws Exception {
        list("\u001b[2Jnone\nd\u0007/\u009b31mnone\n\u202enone\n");
        copies(1, "put -a", local + "/s", url + "/t");
        assertEquals(
                3,
                console.errLines().stream().filter(line -> line.contains("no such file")).count());
        copies(1, "get -a", url + "/s", local + "/t");
        assertTrue(console.err().contains("/data/s/\\x1B[2Jnone: no such file"), console::err);
        for (var each : List.of("\u001b", "\u0007", "\u009b", "\u202e")) {
            assertFalse(console.err().contains(each), console::err);
        }
    }

    @Test
    void leadsNoHigherThanTheSource() throws Exception {
        make("echo out > out", local);
        make("echo out > out", exported);
        list("../out\na/../../out\n/../out\n");
        for (var each : List.of("put -a", "sync")) {
            copies(1, each, local + "/s", url + "/t");
            assertEquals(List.of(), tree(exported.resolve("t")));
        }
        for (var each : List.of("get -a", "sync")) {
            copies(1, each, url + "/s", local + "/t");
            assertEquals(List.of(), tree(local.resolve("t")));
        }
    }

    @Test
    void namesAPathOfAnyLengthThatIsNotThere() throws Exception {
        var path = "a/".repeat(20_000) + "f";
        list(path + "\nx\n");
        for (var each : List.of("put -a", "get -a", "sync", "sync -r --exclude=*.o")) {
            boolean isGet = each.startsWith("get");
            make("rm -rf t && mkdir t", local);
            make("rm -rf t && mkdir t", exported);
            copies(1, each, (isGet ? url : local) + "/s", (isGet ? local : url) + "/t");
            assertEquals(List.of("x"), tree((isGet ? local : exported).resolve("t")), each);
            assertEquals(
                    List.of(
                            "rpcrdma: cannot read "
                                    + (isGet ? url : local)
                                    + "/s/"
                                    + path
                                    + ": no such file or directory"),
                    console.errLines().stream().filter(line -> line.startsWith("rpcrdma")).toList(),
                    each);
        }
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
        assertEquals(1, console.run("put", "--files-from", local + "/s", local + "/s", url));
        assertEquals(
                List.of("rpcrdma: " + local + "/s is a directory: a file is wanted here"),
                console.errLines());
        assertEquals(1, console.run("get", "--files-from", list, url + "/s/x", local + "/t"));
        assertEquals(1, console.run("put", "--files-from", list, local + "/s/x", url + "/t"));
        assertEquals(1, console.run("sync", "--files-from", list, url + "/s/x", local + "/t"));
        make("test ! -e t", local);
    }
}
