package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: sync reaches the files that rsync reaches with the same words, and no others. */
class SyncPlacesTest extends ServedCopies {
    private void run(String... arguments) {
        console.succeeds(
                Stream.concat(Stream.of("sync"), Stream.of(arguments)).toArray(String[]::new));
    }

    private void requireTree(Path in, String names) throws Exception {
        make("test \"$(find . -mindepth 1 | sed s,^./,, | sort | xargs)\" = '" + names + "'", in);
    }

    /** Everything else in the directory is the user's own. */
    @Test
    void theDirectoryAroundTheCopyKeepsItsOtherFiles() throws Exception {
        make("mkdir photos && echo 1 > photos/p", exported);
        make("mkdir -p docs .ssh photos && echo k > .ssh/id && echo > photos/old", local);
        run("-a", "--delete", url + "/photos", local.toString());
        requireTree(local, ".ssh .ssh/id docs photos photos/p");
        make("mkdir thesis && echo > thesis/t && echo > photos/old", exported);
        run("-a", "--delete", local + "/photos", url + "/");
        requireTree(exported, "photos photos/p thesis thesis/t");
    }

    @Test
    void aSlashBehindTheSourceChoosesWhatIsInIt() throws Exception {
        make("mkdir -p s/d && echo 1 > s/f", local);
        for (var target : List.of("", "/")) {
            make("mkdir t", exported);
            run(local + "/s", url + "/t" + target);
            requireTree(exported, "t t/s t/s/d t/s/f");
            make("rm -r t", exported);
            run(local + "/s", url + "/t" + target);
            requireTree(exported, "t t/s t/s/d t/s/f");
            make("rm -r t", exported);
            run(local + "/s/", url + "/t" + target);
            requireTree(exported, "t t/d t/f");
            run(local + "/s/.", url + "/t" + target);
            requireTree(exported, "t t/d t/f");
            run(url + "/t", local + "/back" + target);
            requireTree(local, "back back/t back/t/d back/t/f s s/d s/f");
            run(url + "/t/", local + "/back" + target);
            requireTree(local, "back back/d back/f back/t back/t/d back/t/f s s/d s/f");
            make("rm -r back", local);
            make("rm -r t", exported);
        }
    }

    @Test
    void copiesAFileAsRsyncDoes() throws Exception {
        make("echo 1 > f && ln -s f l && ln -s s ls && mkdir s && echo 2 > s/g", local);
        make("ln -s none dangling", exported);
        run(local + "/f", url);
        run(local + "/f", url + "/g");
        run(local + "/f", url + "/new/");
        run(local + "/f", url + "/dangling");
        run(local + "/l", url);
        run(local + "/ls", url);
        run(local + "/ls/", url + "/contents");
        requireTree(exported, "contents contents/g dangling f g l ls new new/f");
        assertTrue(Files.isSymbolicLink(exported.resolve("ls")));
        assertTrue(Files.isRegularFile(exported.resolve("dangling"), LinkOption.NOFOLLOW_LINKS));
        run(local + "/f", url + "/g");
        assertTrue(console.err().startsWith("0 files"), console::err);
        run(url + "/f", local + "/new/");
        run(url + "/f", local + "/h");
        run(url + "/ls", local + "/new");
        assertTrue(Files.isSymbolicLink(local.resolve("new/ls")));
        requireTree(local.resolve("new"), "f ls");
        assertEquals("1\n", Files.readString(local.resolve("h")));
        console.failsWithOneLine("/f: not a directory", "sync", local + "/s", url + "/f");
        console.failsWithOneLine("/f/: not a directory", "sync", local + "/f", url + "/f/");
    }

    /** Only a slash behind the source gives the target directory the attributes of the source. */
    @Test
    void theTargetKeepsItsModeUnlessTheSourceHasASlash() throws Exception {
        make("mkdir -m 700 s && echo 1 > s/f", local);
        make("mkdir -m 755 t && chmod 755 .", exported);
        run(local + "/s", url + "/t");
        assertEquals("rwxr-xr-x", mode(exported.resolve("t")));
        assertEquals("rwx------", mode(exported.resolve("t/s")));
        run("-n", local + "/s/", url + "/t");
        assertTrue(console.out().contains("would set the attributes of /data/t\n"), console::out);
        run(local + "/s/", url + "/t");
        assertEquals("rwx------", mode(exported.resolve("t")));
    }

    /** With the mode of the source, all other users of the export would be locked out. */
    @Test
    void theRootOfAnExportKeepsItsMode() throws Exception {
        make("mkdir -m 700 s && echo 1 > s/f", local);
        make("chmod 755 .", exported);
        for (var option : List.of("-n", "-a")) {
            run(option, local + "/s/", url);
            assertTrue(
                    console.errLines()
                            .getFirst()
                            .startsWith("rpcrdma: /data keeps its own mode, owner and times"),
                    console::err);
            assertEquals("rwxr-xr-x", mode(exported));
        }
        requireTree(exported, "f");
        console.succeeds("put", "-a", local + "/s/.", url);
        assertEquals("rwxr-xr-x", mode(exported));
    }

    /** Goal: what a trial prints is what the copy does, name by name. */
    @Test
    void aTrialNamesWhatTheCopyDoes() throws Exception {
        make("mkdir -p s/a/b s/c && echo 1 > s/a/f && echo 1 > s/a/b/g && ln -s x s/c/l", local);
        make(
                "mkdir -p t/s/a/old/deep t/s/z && echo > t/s/a/old/deep/x && echo > t/s/a/old/y.o"
                        + " && echo > t/s/z/k.o && echo > t/keep",
                exported);
        var source = local + "/s";
        run("-n", "--delete", "--exclude", "*.o", source, url + "/t");
        var planned =
                console.out()
                        .lines()
                        .filter(each -> !each.contains("directory") && !each.contains("attributes"))
                        .map(each -> each.replace("would remove", "removed"))
                        .map(each -> each.replace("would copy ", ""))
                        .sorted()
                        .toList();
        assertEquals(
                List.of(
                        "/data/t/s/a/b/g",
                        "/data/t/s/a/f",
                        "/data/t/s/c/l",
                        "removed /data/t/s/a/old/deep",
                        "removed /data/t/s/a/old/deep/x"),
                planned);
        run("-v", "--delete", "--exclude", "*.o", source, url + "/t");
        var done = console.errLines().stream().filter(each -> each.contains("/data/")).sorted();
        assertEquals(planned, done.toList());
        requireTree(
                exported.resolve("t"),
                "keep s s/a s/a/b s/a/b/g s/a/f s/a/old s/a/old/y.o s/c s/c/l s/z s/z/k.o");
    }

    /** The same with the server as the source; and into a directory that is not there. */
    @Test
    void aTrialNamesWhatTheCopyToHereDoes() throws Exception {
        make("mkdir -p s/a && echo 1 > s/a/f", exported);
        run("-n", url + "/s", local + "/new");
        assertEquals(
                List.of(
                        "would make the directory " + local + "/new",
                        "would make the directory " + local + "/new/s",
                        "would make the directory " + local + "/new/s/a",
                        "would copy " + local + "/new/s/a/f"),
                console.out().lines().toList());
        assertEquals(List.of(), names(local));
        make("mkdir -p s/old/d && echo > s/old/d/x && echo > s/old/y.o", local);
        run("-n", "--delete", "--exclude", "*.o", url + "/s", local.toString());
        assertTrue(console.err().contains("and remove 2\n"), console::err);
        run("-v", "--delete", "--exclude", "*.o", url + "/s", local.toString());
        assertTrue(console.errLines().contains("removed " + local + "/s/old/d/x"), console::err);
        requireTree(local, "s s/a s/a/f s/old s/old/y.o");
    }

    @Test
    void aTrialNamesWhatStandsInTheWay() throws Exception {
        make("mkdir -p s && echo 1 > s/f", local);
        make("mkdir -p s/f/x", exported);
        for (var option : List.of("-n", "-a")) {
            assertEquals(1, console.run("sync", option, local + "/s", url));
            assertTrue(console.err().startsWith("rpcrdma: cannot write /data/s/f: is a directory"));
        }
        make("mkdir t && echo 1 > t/f", exported);
        make("mkdir -p t/f/x", local);
        for (var option : List.of("-n", "-a")) {
            assertEquals(1, console.run("sync", option, url + "/t", local.toString()));
            assertTrue(console.err().contains("/t/f: is a directory"), console::err);
        }
    }

    @Test
    void removesNoMoreThanAllowed() throws Exception {
        make("mkdir s && echo 1 > s/f", local);
        var there =
                "mkdir -p s/old && echo > s/old/x && echo > s/old/y && echo > s/z && echo > s/a";
        make(there, exported);
        for (var option : List.of("-n", "-v")) {
            assertEquals(
                    1,
                    console.run(
                            "sync", option, "--delete", "--max-delete", "3", local + "/s", url));
            assertTrue(
                    console.err()
                            .contains(
                                    "--max-delete is 3, and SOURCE lacks 5 files of /data/s: 2 stay"),
                    console::err);
            assertEquals(
                    3,
                    Stream.concat(console.out().lines(), console.errLines().stream())
                            .filter(each -> each.contains("remove") && each.contains("/data/s/"))
                            .filter(each -> !each.contains("max"))
                            .filter(each -> each.matches(".*/(z|y|x)"))
                            .count());
        }
        requireTree(exported, "s s/a s/f s/old");
        assertEquals(1, console.run("sync", "--delete", "--max-delete", "0", local + "/s", url));
        requireTree(exported, "s s/a s/f s/old");
        run("--delete", "--max-delete", "2", local + "/s", url);
        requireTree(exported, "s s/f");
        make("mkdir -p s/b && echo > s/b/x", local);
        assertEquals(
                1, console.run("sync", "--delete", "--max-delete", "1", url + "/s", "" + local));
        requireTree(local.resolve("s"), "b f");
        assertEquals(2, console.run("sync", "--max-delete", "1", local + "/s", url));
        assertEquals(2, console.run("sync", "--delete", "--max-delete", "-1", local + "/s", url));
        assertEquals(2, console.run("sync", "--yes", local + "/s", url));
    }

    /** As rsync: a pattern without a slash at its start is the end of a path. */
    @Test
    void patternsBeginWhereThoseOfRsyncDo() throws Exception {
        make("mkdir -p s/d/e s/e && echo > s/e/x && echo > s/d/e/x && echo > s/d/e/y", local);
        var expected = new ArrayList<String>();
        expected.add("e/x: s s/d s/d/e s/d/e/y s/e");
        expected.add("/e/x: s s/d s/d/e s/d/e/x s/d/e/y s/e s/e/x");
        expected.add("/s/e/x: s s/d s/d/e s/d/e/x s/d/e/y s/e");
        expected.add("d/e: s s/d s/e s/e/x");
        expected.add("/s/**/x: s s/d s/d/e s/d/e/y s/e");
        for (var each : expected) {
            run("--exclude", each.split(": ")[0], local + "/s", url);
            requireTree(exported, each.split(": ")[1]);
            make("rm -r s", exported);
        }
        run("--exclude", "s", local + "/s", url);
        requireTree(exported, "");
        run("--exclude", "/e/x", local + "/s/", url + "/t");
        assertFalse(Files.exists(exported.resolve("t/e/x")));
        assertTrue(Files.exists(exported.resolve("t/d/e/x")));
    }

    @Test
    void anAnswerIsYesOnlyIfItSaysSo() {
        for (var each : List.of("y", "Y", "yes", " YES \r")) {
            assertTrue(Removal.isYes(each), each);
        }
        for (var each : List.of("", "n", "no", "yeah", "j")) {
            assertFalse(Removal.isYes(each), each);
        }
    }
}
