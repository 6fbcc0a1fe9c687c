package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.ServedCopies;
import io.github.rpcrdma4j.testing.Eventually;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: put and get do what the user asks, and report what they do not do. */
class CopyCommandsTest extends ServedCopies {
    @Test
    void readsSourcesWithoutASizeToTheirEnd() throws Exception {
        byte[] much = new byte[3_000_001];
        new Random(1).nextBytes(much);
        var file = Files.write(local.resolve("much"), much).toFile();
        for (var source : List.of("-", "/dev/stdin")) {
            var ended = CommandProcess.from(file, "put", source, url + "/a");
            assertEquals(0, ended.status(), ended.errLines()::toString);
            assertArrayEquals(much, Files.readAllBytes(exported.resolve("a")));
            Files.delete(exported.resolve("a"));
        }
        var piped = "cat " + file + " | \"$0\" \"$@\"";
        for (var source : List.of("-", "/dev/stdin")) {
            var ended = CommandProcess.ofShell(piped, "put", source, url + "/a");
            assertEquals(0, ended.status(), ended.errLines()::toString);
            assertArrayEquals(much, Files.readAllBytes(exported.resolve("a")));
            Files.delete(exported.resolve("a"));
        }
        console.succeeds("put", "/proc/cpuinfo", url + "/cpus");
        assertTrue(Files.size(exported.resolve("cpus")) > 0);
        console.succeeds("put", "/sys/kernel/mm/transparent_hugepage/enabled", url + "/pages");
        assertEquals(
                Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")),
                Files.readString(exported.resolve("pages")));
        // The total counts what was copied, not the size that the system tells.
        var total = "1 file, " + Files.size(exported.resolve("pages")) + " bytes in ";
        assertTrue(console.err().contains(total), console::err);
        assertEquals(List.of("cpus", "pages"), names(exported));
    }

    @Test
    void wantsANameForWhatHasNone() throws Exception {
        fails("cannot write /data: standard input has no name, give one", "put", "-", url);
        assertEquals(List.of(), names(exported));
    }

    /** As cp and rsync do with directories that end with a dot. */
    @Test
    void mergesADirectoryThatIsNamedByDotsIntoAnother() throws Exception {
        Files.createDirectories(exported.resolve("a/b"));
        var dots = url + "/a/..";
        console.succeeds("get", "-r", dots, local + "/");
        assertEquals(List.of("a"), names(local));
        console.succeeds("get", "-r", dots, local + "/whole");
        assertEquals(List.of("a", "whole"), names(local));
        assertTrue(Files.isDirectory(local.resolve("whole/a/b")));
        console.succeeds("put", "-r", local + "/whole/a/.", url + "/c");
        assertTrue(Files.isDirectory(exported.resolve("c/b")));
        Files.writeString(local.resolve("a/f"), "f");
        console.succeeds("put", "-r", local + "/a/.", url + "/c/");
        assertEquals(List.of("b", "f"), names(exported.resolve("c")));
        console.succeeds("put", "-r", local + "/a/.", url);
        assertEquals(List.of("a", "b", "c", "f"), names(exported));
    }

    @Test
    void refusesASlashThatCpAndRsyncReadDifferently() throws Exception {
        Files.createDirectories(local.resolve("a/b"));
        Files.createDirectories(exported.resolve("a/b"));
        fails(
                local
                        + "/a/: the slash at its end means different things to cp and to rsync: write "
                        + local
                        + "/a to copy the directory itself, or "
                        + local
                        + "/a/. to copy what is in it",
                "put",
                "-r",
                local + "/a/",
                url + "/a");
        console.failsWithOneLine(
                "/a to copy the directory itself", "put", "-r", local + "/a//", url + "/a");
        console.failsWithOneLine("/a/: the slash at its end", "get", "-r", url + "/a/", "" + local);
        console.failsWithOneLine(
                "/new/: it is not there", "put", "-r", local + "/a", url + "/new/");
        console.failsWithOneLine(
                "/new/: it is not there", "get", "-r", url + "/a", local + "/new/");
        assertEquals(List.of("a"), names(exported));
        assertEquals(List.of("a"), names(local));
        assertEquals(List.of("b"), names(exported.resolve("a")));
    }

    /** A file of one source does not replace that of another one that is merged. */
    @Test
    void mergedSourcesKeepTheFirstFileOfAName() throws Exception {
        make("mkdir a b && echo 1 > a/f && echo 2 > b/f && echo 3 > b/g", local);
        assertEquals(1, console.run("put", "-r", local + "/a/.", local + "/b/.", url));
        assertTrue(console.err().contains("just copied from another source"), console::err);
        make("test \"$(cat f g | xargs)\" = '1 3'", exported);
    }

    @Test
    void doesNotReplaceALinkThatLeadsNowhere() throws Exception {
        Files.writeString(exported.resolve("a"), "a");
        var link = Files.createSymbolicLink(local.resolve("link"), Path.of("nowhere"));
        fails(
                "cannot write " + link + ": it is a link to a file that is not there",
                "get",
                url + "/a",
                link.toString());
        assertTrue(Files.isSymbolicLink(link));
        Files.createSymbolicLink(exported.resolve("link"), Path.of("nowhere"));
        Files.createDirectory(local.resolve("d"));
        for (var source : List.of(local + "/d", "pom.xml")) {
            fails(
                    "cannot write " + url + "/link: it is a link to a file that is not there",
                    "put",
                    "-r",
                    source,
                    url + "/link");
        }
        assertEquals(List.of("a", "link"), names(exported));
    }

    /** Goal: output is appended to a log that the shell has open and writes to afterwards. */
    @Test
    void appendsToAFileThatIsStandardOutput() throws Exception {
        Files.writeString(exported.resolve("a"), "copied\n");
        var log = local.resolve("log");
        var ended =
                CommandProcess.ofShell(
                        "(echo before; \"$0\" \"$@\"; echo after) > " + log,
                        "get",
                        url + "/a",
                        "/dev/stdout");
        assertEquals(0, ended.status(), ended.errLines()::toString);
        assertEquals(List.of("before", "copied", "after"), Files.readAllLines(log));
    }

    /** Goal: a file that Java opened under the number of a closed standard stream is not used. */
    @Test
    void neitherReadsNorWritesAFileInPlaceOfAClosedStream() throws Exception {
        Files.writeString(exported.resolve("a"), "a");
        var ended = CommandProcess.ofShell("\"$0\" \"$@\" <&-", "put", "-", url + "/a");
        assertEquals(1, ended.status(), ended.errLines()::toString);
        assertEquals(List.of("rpcrdma: standard input is closed"), ended.errLines());
        assertEquals("a", Files.readString(exported.resolve("a")));
        for (var name : List.of("-", "/dev/stdout")) {
            ended = CommandProcess.ofShell("\"$0\" \"$@\" >&-", "get", url + "/a", name);
            assertEquals(1, ended.status(), ended.errLines()::toString);
        }
    }

    @Test
    void refusesEmptyNames() throws Exception {
        assertEquals(2, console.run("put", "-r", "", url + "/a"));
        assertEquals(List.of("rpcrdma: the SOURCE is an empty name"), console.errLines());
        assertEquals(2, console.run("get", url + "/a", ""));
        assertEquals(List.of("rpcrdma: the TARGET is an empty name"), console.errLines());
        assertEquals(List.of(), names(exported));
    }

    @Test
    void saysInWhichDirectionACommandCopies() {
        assertEquals(2, console.run("get", url + "/a", url + "/b"));
        assertEquals(
                List.of(
                        "rpcrdma: get copies from a server to this machine: name a local file or"
                                + " directory, not "
                                + url
                                + "/b"),
                console.errLines());
        assertEquals(2, console.run("put", url + "/a", "b"));
        assertEquals(
                List.of("rpcrdma: put copies to a server; use get to copy from one"),
                console.errLines());
    }

    @Test
    void namesTheDirectoryThatIsMissing() throws Exception {
        Files.writeString(local.resolve("a"), "a");
        fails(
                "cannot find /data/none: no such file or directory",
                "put",
                local + "/a",
                url + "/none/b");
        Files.createDirectory(exported.resolve("some"));
        fails(
                "cannot find /data/some/none: no such file or directory",
                "get",
                url + "/some/none/deep/a",
                local + "/b");
    }

    @Test
    void writesToStandardOutputAndToDevices() throws Exception {
        Files.writeString(exported.resolve("a"), "content");
        var target = local.resolve("out");
        var ended = CommandProcess.to(target.toFile(), "get", url + "/a", "-");
        assertEquals(0, ended.status());
        assertEquals("content", Files.readString(target));
        assertEquals(1, ended.errLines().size(), ended.errLines()::toString);
        console.succeeds("get", url + "/a", "/dev/null");
        assertFalse(Files.isRegularFile(Path.of("/dev/null")));
        console.failsWithOneLine("cannot write /dev/full: ", "get", url + "/a", "/dev/full");
        assertEquals(List.of("out"), names(local));
    }

    @Test
    void takesASlashAtTheEndForADirectory() throws Exception {
        var file = Files.writeString(local.resolve("file"), "x").toString();
        Files.writeString(exported.resolve("there"), "old");
        fails("cannot write " + url + "/new/: no such directory", "put", file, url + "/new/");
        fails("cannot write " + url + "/there/: not a directory", "put", file, url + "/there/");
        fails("cannot list " + url + "/there/: not a directory", "ls", url + "/there/");
        fails("cannot remove " + url + "/there/: not a directory", "rm", url + "/there/");
        fails("cannot read " + url + "/there/: not a directory", "get", url + "/there/");
        fails("cannot read " + url + "/there/: not a directory", "cat", url + "/there/");
        fails(
                "cannot write " + local + "/no/: no such directory",
                "get",
                url + "/there",
                local + "/no/");
        fails("cannot write " + file + "/: not a directory", "get", url + "/there", file + "/");
        fails("cannot read " + file + "/: not a directory", "put", file + "/", url);
        assertEquals("old", Files.readString(exported.resolve("there")));
        assertEquals(List.of("there"), names(exported));
        Files.createDirectory(local.resolve("tree"));
        console.succeeds("put", "-r", local + "/tree/", url + "/made/");
        assertEquals(List.of("made", "there"), names(exported));
    }

    @Test
    void listsTheExportsOfAServer() {
        console.succeeds("ls", "--vers", "3", url.replace("/data", "/"));
        assertEquals("/data\n", console.out());
        console.succeeds("ls", "--vers", "3", url.replace("/data", ""));
        assertEquals("/data\n", console.out());
        console.succeeds("ls", url.replace("/data", ""));
        assertEquals("data\n", console.out(), "the root of version 4");
        console.succeeds("ls", "--vers", "3", "--json", url.replace("/data", ""));
        assertTrue(console.out().startsWith("[{\"export\":\"/data\""), console::out);
        fails(
                "no export contains /other; the server exports /data",
                "ls",
                "--vers",
                "3",
                url.replace("/data", "/other"));
    }

    @Test
    void namesWhatItCannotCopyAndCopiesTheRest() throws Exception {
        assumeTrue(!isRoot(), "root may read everything");
        var tree = Files.createDirectory(local.resolve("tree"));
        for (int i = 0; i < 20; i++) {
            Files.writeString(tree.resolve("f" + i), "content");
        }
        withMode(tree.resolve("f7"), "---------");
        var relative = Path.of("").toAbsolutePath().relativize(tree);
        assertEquals(1, console.run("put", "-r", relative.toString(), url));
        var lines = console.errLines();
        assertEquals("rpcrdma: cannot read " + relative + "/f7: permission denied", lines.get(0));
        assertTrue(lines.get(1).startsWith("19 files, 133 bytes"), lines::toString);
        assertTrue(lines.get(1).endsWith("; 1 failed"), lines::toString);
        assertEquals(19, names(exported.resolve("tree")).size());
        withMode(tree.resolve("f7"), "rw-------");
        // A server always lets owners read their files, but not their directories.
        var closed = withMode(Files.createDirectory(exported.resolve("tree/closed")), "---------");
        assertEquals(1, console.run("get", "-r", url + "/tree", local + "/back"));
        withMode(closed, "rwx------");
        assertEquals(
                names(exported.resolve("tree")).size() - 1, names(local.resolve("back")).size());
        assertFalse(Files.exists(local.resolve("back/closed")));
        assertTrue(
                console.err()
                        .startsWith("rpcrdma: cannot list /data/tree/closed: permission denied"),
                console::err);
    }

    @Test
    void namesWhatStandsInTheWayAndCopiesTheRest() throws Exception {
        var tree = Files.createDirectory(local.resolve("tree"));
        Files.writeString(tree.resolve("a"), "a");
        Files.writeString(tree.resolve("b"), "b");
        Files.createDirectories(exported.resolve("tree/a"));
        assertEquals(1, console.run("put", "-r", tree.toString(), url));
        assertTrue(
                console.err().startsWith("rpcrdma: cannot write /data/tree/a: is a directory\n"),
                console::err);
        assertEquals("b", Files.readString(exported.resolve("tree/b")));
        assertEquals(List.of("a", "b"), names(exported.resolve("tree")));
    }

    @Test
    void sweepsWhatAnEarlierRunLeftAndNothingElse() throws Exception {
        // Process 1 of this machine did not start at that time. Machine 0 is unknown.
        var machine = machine();
        var ended = ".a.rpcrdma-" + machine + "-1-1-0.part";
        var foreign = ".a.rpcrdma-0-1-1-0.part";
        var own = List.of(".a.part", ".a.rpcrdma-x.part", "a.rpcrdma-" + machine + "-1-1-0.part");
        var tree = Files.createDirectory(local.resolve("tree"));
        Files.writeString(tree.resolve("a"), "a");
        var there = Files.createDirectory(exported.resolve("tree"));
        for (var in : List.of(there, exported)) {
            for (var name : own) {
                Files.writeString(in.resolve(name), "mine");
            }
            Files.writeString(in.resolve(ended), "half");
            Files.writeString(in.resolve(foreign), "half");
        }
        console.succeeds("ls", url + "/tree");
        assertEquals(own.stream().sorted().toList(), console.out().lines().sorted().toList());
        console.succeeds("ls", "-a", url + "/tree");
        assertEquals(5, console.out().lines().count(), console::out);
        console.succeeds("put", "-r", tree.toString(), url);
        assertFalse(Files.exists(there.resolve(ended)));
        assertTrue(Files.exists(there.resolve(foreign)));
        assertTrue(names(there).containsAll(own));
        console.succeeds("put", tree + "/a", url);
        assertFalse(Files.exists(exported.resolve(ended)));
        assertTrue(names(exported).containsAll(own));
        console.succeeds("get", "-r", url + "/tree", local + "/back");
        assertEquals(4, names(local.resolve("back")).size());
    }

    /** Returns the number of this machine, taken from the temporary file of a process. */
    private String machine() throws Exception {
        var half = local.resolve("half");
        make("mkfifo half", local);
        var process = CommandProcess.start("put", half.toString(), url + "/half");
        try (var writer = Files.newOutputStream(half)) {
            writer.write(1);
            writer.flush();
            Eventually.await(() -> !names(exported).isEmpty());
            var name = names(exported).getFirst();
            process.destroyForcibly().waitFor();
            Files.delete(exported.resolve(name));
            return name.substring(name.indexOf("rpcrdma-") + 8).split("-")[0];
        }
    }

    @Test
    void removesWhatIsNotCompleteWhenItIsStopped() throws Exception {
        make("mkfifo half", local);
        var half = local.resolve("half");
        var process = CommandProcess.start("put", half.toString(), url + "/half");
        try (var writer = Files.newOutputStream(half)) {
            writer.write(1);
            writer.flush();
            Eventually.await(() -> !names(exported).isEmpty());
            assertEquals("rw-------", mode(exported.resolve(names(exported).getFirst())));
            // Process.destroy would also close the streams.
            process.toHandle().destroy();
            var ended = CommandProcess.ended(process);
            assertEquals(128 + 15, ended.status());
            assertEquals(1, ended.errLines().size(), ended.errLines()::toString);
            assertTrue(
                    ended.errLines().getFirst().startsWith("rpcrdma: interrupted after 0 files"),
                    ended.errLines()::toString);
        }
        assertEquals(List.of(), names(exported));
    }

    @Test
    void copiesADirectoryIntoItselfOnce() throws Exception {
        var tree = Files.createDirectory(exported.resolve("tree"));
        Files.writeString(tree.resolve("a"), "a");
        Files.createDirectory(tree.resolve("sub"));
        console.succeeds("put", "-r", tree.toString(), url + "/tree/");
        assertEquals(List.of("a", "sub", "tree"), names(tree));
        assertEquals(List.of("a", "sub"), names(tree.resolve("tree")));
        console.succeeds("get", "-r", url + "/tree/sub", tree.resolve("sub").toString());
        assertEquals(List.of("sub"), names(tree.resolve("sub")));
        assertEquals(List.of(), names(tree.resolve("sub/sub")));
    }

    @Test
    void writesToWhatTheUserNamesAlsoWithDirectories() throws Exception {
        Files.writeString(exported.resolve("a"), "new");
        Files.writeString(local.resolve("file"), "old");
        Files.createSymbolicLink(local.resolve("link"), Path.of("file"));
        console.succeeds("get", "-r", url + "/a", local + "/link");
        assertTrue(Files.isSymbolicLink(local.resolve("link")));
        assertEquals("new", Files.readString(local.resolve("file")));
        console.succeeds("get", "-a", url + "/a", "/dev/null");
        assertFalse(Files.isRegularFile(Path.of("/dev/null")));
        console.failsWithOneLine("cannot write /dev/full: ", "get", url + "/a", "/dev/full");
    }

    @Test
    void leavesALinkThatTheUserNames() throws Exception {
        Files.writeString(exported.resolve("a"), "new");
        Files.writeString(local.resolve("file"), "old");
        Files.createSymbolicLink(local.resolve("link"), Path.of("file"));
        console.succeeds("get", url + "/a", local + "/link");
        assertTrue(Files.isSymbolicLink(local.resolve("link")));
        assertEquals("new", Files.readString(local.resolve("file")));
        console.succeeds("put", local + "/link", url + "/b");
        assertTrue(Files.isRegularFile(exported.resolve("b"), LinkOption.NOFOLLOW_LINKS));
        console.succeeds("put", "-a", local + "/link", url + "/c");
        assertTrue(Files.isSymbolicLink(exported.resolve("c")));
        console.succeeds("get", "-a", url + "/c", local + "/d");
        assertTrue(Files.isSymbolicLink(local.resolve("d")));
    }
}
