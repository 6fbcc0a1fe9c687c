package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: sync makes two directories alike, does no needless work, and removes nothing else. */
class SyncTest extends ServedCopies {
    /** Compares contents, types, modes, texts of links and times, but not the times of links. */
    private void requireAlike(Path one, Path other) throws Exception {
        var listing = "find . ! -type l -printf '%p %m %y %T@\\n' -o -printf '%p %l\\n' | sort";
        make(
                "diff -r --no-dereference X Y && test \"$(cd X && L)\" = \"$(cd Y && L)\""
                        .replace("X", one.toString())
                        .replace("Y", other.toString())
                        .replace("L", listing),
                local);
    }

    private String count(String words) {
        var totals = console.errLines().getLast();
        for (var part : totals.split("[;,]")) {
            if (part.endsWith(words)) {
                return part.strip().split(" ")[0];
            }
        }
        return "0";
    }

    private void run(String... arguments) {
        var all = new ArrayList<>(List.of("sync"));
        all.addAll(List.of(arguments));
        console.succeeds(all.toArray(String[]::new));
    }

    /** Random changes of both sides end in the state of the source. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void makesRandomTreesAlikeInBothDirections(String version) throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var source = Files.createDirectory(local.resolve("source"));
        var back = local.resolve("back");
        var there = exported.resolve("copy");
        for (int round = 0; round < 4; round++) {
            change(random, source);
            if (round > 0) {
                change(random, there);
                change(random, back);
            }
            run("--vers", version, "--delete", source + "/", url + "/copy");
            run("--vers", version, "--delete", url + "/copy/", back.toString());
            // Version 2 has times of microseconds.
            if (version.equals("3")) {
                requireAlike(source, there);
            }
            requireAlike(there, back);
            run("--vers", version, "--delete", source + "/", url + "/copy");
            assertTrue(console.err().startsWith("0 files"), console::err);
            run("--vers", version, "--delete", "-c", url + "/copy/", back.toString());
            assertTrue(console.err().startsWith("0 files"), console::err);
        }
    }

    private static void change(Random random, Path top) throws Exception {
        var directories = new ArrayList<Path>();
        try (var all = Files.walk(top)) {
            all.filter(Files::isDirectory).forEach(directories::add);
        }
        for (int i = 0; i < 12; i++) {
            var in = directories.get(random.nextInt(directories.size()));
            if (!Files.isDirectory(in, LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            // Any name may get a file of another type.
            var file = in.resolve("n" + random.nextInt(9));
            boolean isDirectory = Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
            int kind = random.nextInt(4);
            if (kind != 0 || !isDirectory) {
                remove(file);
            }
            switch (kind) {
                case 0 -> {
                    if (!isDirectory) {
                        directories.add(Files.createDirectory(file));
                    }
                }
                case 1 -> {
                    var bytes = new byte[random.nextInt(5000)];
                    random.nextBytes(bytes);
                    Files.write(file, bytes);
                    if (random.nextBoolean()) {
                        withMode(file, "rw-r-----");
                    }
                }
                case 2 -> Files.createSymbolicLink(file, Path.of("x" + random.nextInt(3)));
                default -> {}
            }
        }
    }

    private static void remove(Path tree) throws Exception {
        if (Files.isDirectory(tree, LinkOption.NOFOLLOW_LINKS)) {
            try (var in = Files.list(tree)) {
                for (var each : in.toList()) {
                    remove(each);
                }
            }
        }
        Files.deleteIfExists(tree);
    }

    @Test
    void copiesOnlyWhatChanged() throws Exception {
        make("mkdir s && echo a > s/a && echo b > s/b && ln -s a s/l && mkfifo s/p", local);
        run(local + "/s/", url + "/s");
        assertTrue(console.err().startsWith("4 files, 4 bytes"), console::err);
        run(local + "/s/", url + "/s");
        assertTrue(console.err().startsWith("0 files, 0 bytes"), console::err);
        assertEquals("4", count("unchanged"));
        Files.writeString(local.resolve("s/a"), "A\n");
        Files.setLastModifiedTime(
                local.resolve("s/a"), FileTime.from(Instant.now().plusSeconds(9)));
        run(local + "/s/", url + "/s");
        assertTrue(console.err().startsWith("1 file, 2 bytes"), console::err);
        assertEquals("A\n", Files.readString(exported.resolve("s/a")));
        // A change of the mode alone arrives without the contents.
        withMode(local.resolve("s/b"), "rw-------");
        run(local + "/s/", url + "/s");
        assertTrue(console.err().startsWith("0 files"), console::err);
        assertEquals("rw-------", mode(exported.resolve("s/b")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void findsChangesOfTheSameSizeAndTimeByContents(boolean isPut) throws Exception {
        var from = isPut ? local : exported;
        var to = isPut ? exported : local;
        var source = (isPut ? local.toString() : url) + "/s/";
        var target = (isPut ? url : local.toString()) + "/s";
        make("mkdir s && echo a > s/a && echo b > s/b", from);
        run(source, target);
        var time = Files.getLastModifiedTime(from.resolve("s/a"));
        Files.writeString(from.resolve("s/a"), "A\n");
        Files.setLastModifiedTime(from.resolve("s/a"), time);
        run(source, target);
        assertEquals("a\n", Files.readString(to.resolve("s/a")));
        run("--checksum", source, target);
        assertEquals("A\n", Files.readString(to.resolve("s/a")));
        assertEquals("1", count("unchanged"));
        Files.setLastModifiedTime(to.resolve("s/b"), FileTime.from(Instant.EPOCH));
        run("--checksum", source, target);
        assertTrue(console.err().startsWith("0 files"), console::err);
        assertEquals(
                Files.getLastModifiedTime(from.resolve("s/b")),
                Files.getLastModifiedTime(to.resolve("s/b")));
    }

    @Test
    void removesOnlyWhenAskedAndOnlyBelowTheTarget() throws Exception {
        make("mkdir s && echo a > s/a", local);
        make(
                "mkdir -p s/old/deep outside && echo x > s/old/deep/x && echo o > outside/o"
                        + " && ln -s ../outside s/way && echo k > s/keep.o",
                exported);
        run(local + "/s/", url + "/s");
        assertEquals(List.of("a", "keep.o", "old", "way"), names(exported.resolve("s")));
        run("-n", "--delete", "--exclude", "*.o", local + "/s/", url + "/s");
        assertEquals(
                List.of(
                        "would remove /data/s/old",
                        "would remove /data/s/old/deep",
                        "would remove /data/s/old/deep/x",
                        "would remove /data/s/way"),
                console.out().lines().sorted().toList());
        assertTrue(console.err().contains(", and remove 4\n"), console::err);
        assertEquals(List.of("a", "keep.o", "old", "way"), names(exported.resolve("s")));
        run("--delete", "--exclude", "*.o", local + "/s/", url + "/s");
        assertEquals(List.of("a", "keep.o"), names(exported.resolve("s")));
        assertEquals(List.of("o"), names(exported.resolve("outside")));
        // The directories old and deep, the file x, and the link.
        assertEquals("4", count("removed"));
    }

    @Test
    void removesLocalFilesOnlyBelowTheTarget() throws Exception {
        make("mkdir s && echo a > s/a", exported);
        make(
                "mkdir -p t/old/deep outside && echo x > t/old/deep/x && echo o > outside/o"
                        + " && ln -s ../outside t/way && ln -s ../../outside t/old/way",
                local);
        run("-n", "--delete", url + "/s/", local + "/t");
        assertEquals(List.of("old", "way"), names(local.resolve("t")));
        run("--delete", url + "/s/", local + "/t");
        assertEquals("5", count("removed"));
        assertEquals(List.of("a"), names(local.resolve("t")));
        assertEquals(List.of("o"), names(local.resolve("outside")));
    }

    /** A directory of the source is a link in the target: as with rsync, it takes its place. */
    @Test
    void followsNoLinkOfTheTarget() throws Exception {
        make("mkdir -p s/d outside && echo new > s/d/f && echo old > outside/f", local);
        make("mkdir -p s outside && echo old > outside/f && ln -s ../outside s/d", exported);
        make("mkdir t && ln -s ../outside t/d", local);
        run("--delete", local + "/s/", url + "/s");
        assertEquals("old\n", Files.readString(exported.resolve("outside/f")));
        run("--delete", url + "/s/", local + "/t");
        assertEquals("old\n", Files.readString(local.resolve("outside/f")));
        assertTrue(Files.isDirectory(local.resolve("t/d"), LinkOption.NOFOLLOW_LINKS));
        assertEquals("new\n", Files.readString(local.resolve("t/d/f")));
    }

    /** Nobody is to think that the target has no more than the source. */
    @Test
    void aFailureInADirectorySaysThatNothingWasRemovedThere() throws Exception {
        make("mkdir -p s/inner && echo a > s/t && echo b > s/inner/b", local);
        make("mkdir -p s/t s/inner && touch s/t/keep s/gone s/inner/gone", exported);
        var line = "rpcrdma: nothing was removed in /data/s, because not all of it was copied";
        for (var how : List.of("-n", "-v")) {
            assertEquals(
                    1,
                    console.run(
                            "sync", "--delete", "--exclude=keep", how, local + "/s/", url + "/s"));
            assertEquals(1, console.errLines().stream().filter(line::equals).count(), console::err);
        }
        assertEquals(List.of("gone", "inner", "t"), names(exported.resolve("s")));
        assertEquals(List.of("b"), names(exported.resolve("s/inner")));
        make("rm s/t && touch s/extra && mkdir s/gone && touch s/gone/keep", local);
        make("rm -r s/t && touch s/t", exported);
        assertEquals(
                1, console.run("sync", "--delete", "--exclude=keep", url + "/s/", local + "/s"));
        line = "rpcrdma: nothing was removed in " + local + "/s, because not all of it was copied";
        assertTrue(console.errLines().contains(line), console::err);
        assertTrue(names(local.resolve("s")).contains("extra"));
    }

    @Test
    void anEmptySourceRemovesNothing() throws Exception {
        make("mkdir s", local);
        make("mkdir s && echo a > s/a", exported);
        assertEquals(1, console.run("sync", "--delete", local + "/s/", url + "/s"));
        assertTrue(console.err().contains("would remove everything in /data/s"), console::err);
        assertTrue(Files.exists(exported.resolve("s/a")));
        make("mkdir e", exported);
        make("mkdir t && echo a > t/a", local);
        assertEquals(1, console.run("sync", "--delete", url + "/e/", local + "/t"));
        assertTrue(Files.exists(local.resolve("t/a")));
        run(local + "/s/", url + "/s");
    }

    @Test
    void nothingIsRemovedWhereSomethingFailed() throws Exception {
        make("mkdir -p s/good s/bad && echo a > s/bad/a && echo g > s/good/g", local);
        // A directory stands where a file has to be, and does not make way.
        make("mkdir -p s/bad/a s/good && touch s/bad/a/keep s/bad/extra s/good/extra", exported);
        assertEquals(
                1, console.run("sync", "--delete", "--exclude=keep", local + "/s/", url + "/s"));
        assertTrue(Files.exists(exported.resolve("s/bad/extra")));
        assertFalse(Files.exists(exported.resolve("s/good/extra")));
        assertEquals("g\n", Files.readString(exported.resolve("s/good/g")));
    }

    /** As with rsync, a directory with files in it gives way with --delete only. */
    @Test
    void aNameMayGetAFileOfAnotherType() throws Exception {
        var source = "mkdir -p s/m/n && touch s/a s/e s/m/n/f && ln -s none s/l";
        var other =
                "mkdir -p t/a/b t/e t/l/m t/p kept && touch t/a/b/c t/l/m/n kept/k"
                        + " && ln -s ../kept t/m";
        for (boolean isPut : new boolean[] {true, false}) {
            var from = isPut ? local : exported;
            var to = isPut ? exported : local;
            make(source, from);
            make(other, to);
            var words =
                    isPut ? List.of(local + "/s/", url + "/t") : List.of(url + "/s/", local + "/t");
            var shown = isPut ? "/data/t" : to + "/t";
            assertEquals(1, console.run("sync", words.get(0), words.get(1)));
            assertTrue(
                    console.errLines()
                            .contains("rpcrdma: cannot write " + shown + "/a: is a directory"),
                    console::err);
            requireTypes(to, "a d a/b d a/b/c f e f l d l/m d l/m/n f m d m/n d m/n/f f p d");
            make("rm -r t kept && " + other, to);
            run("-n", "--delete", words.get(0), words.get(1));
            assertTrue(console.out().contains(shown + "/a/b/c"), console::out);
            make("test -f t/a/b/c && test -L t/m && test -d t/e", to);
            run("--delete", "--max-delete=8", words.get(0), words.get(1));
            requireAlike(from.resolve("s"), to.resolve("t"));
            make("test -f kept/k", to);
            run(words.get(0), words.get(1));
            assertTrue(console.err().startsWith("0 files"), console::err);
            make("rm -r *", local);
            make("rm -r *", exported);
        }
    }

    private void requireTypes(Path in, String all) throws Exception {
        make(
                "test \"$(cd t && find . -mindepth 1 -printf '%P %y\\n' | sort | xargs)\" = '"
                        + all
                        + "'",
                in);
    }

    @Test
    void workOnTheRootOfAnExport() throws Exception {
        make("mkdir -p s/d && echo a > s/d/a", local);
        make("echo x > extra", exported);
        run("--delete", local + "/s/", url);
        assertEquals(List.of("d"), names(exported));
        assertEquals("a\n", Files.readString(exported.resolve("d/a")));
        run("--delete", url + "/", local + "/t");
        assertEquals("a\n", Files.readString(local.resolve("t/d/a")));
    }

    @Test
    void saysHowItIsUsed() throws Exception {
        make("echo a > a && ln -s none l", local);
        make("echo a > a", exported);
        assertEquals(2, console.run("sync", local + "/a", local + "/b"));
        assertEquals(2, console.run("sync", url, url));
        fails("cannot read " + local + "/a/: not a directory", "sync", local + "/a/", url + "/b");
        fails("cannot read " + url + "/a/: not a directory", "sync", url + "/a/", local + "/b");
        fails("cannot write " + url + "/a: not a directory", "sync", local.toString(), url + "/a");
        fails(
                "cannot write " + local + "/l: it is a link to a directory that is not there",
                "sync",
                url,
                local + "/l");
    }
}
