package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.JsonText;
import io.github.rpcrdma4j.cli.ServedCopies;
import io.github.rpcrdma4j.testing.Eventually;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: several sources, exclusions, trials and rates do what users expect. */
class SelectedCopiesTest extends ServedCopies {
    private void makeTree(String in) throws Exception {
        make(
                "mkdir -p t/a/build t/.git t/doc && echo 1 > t/a/x.o && echo 2 > t/a/x.c"
                        + " && echo 3 > t/a/build/y && echo 4 > t/.git/z && echo 5 > t/build"
                        + " && echo 6 > t/doc/i.html",
                in.equals("local") ? local : exported);
    }

    @Test
    void copiesSeveralSourcesIntoADirectory() throws Exception {
        make("echo a > a && echo b > b && mkdir c && echo d > c/d", local);
        console.succeeds("put", "-r", local + "/a", local + "/b", local + "/c", url);
        assertEquals(List.of("a", "b", "c"), names(exported));
        assertTrue(console.err().startsWith("3 files, 6 bytes"), console::err);
        var back = Files.createDirectory(local.resolve("back"));
        console.succeeds("get", "-r", url + "/a", url + "/c", back.toString());
        assertEquals(List.of("a", "c"), names(back));
        assertEquals("d\n", Files.readString(back.resolve("c/d")));
        fails(
                url + "/a: not a directory, but there are several sources",
                "put",
                local + "/a",
                local + "/b",
                url + "/a");
        fails(
                local + "/a: not a directory, but there are several sources",
                "get",
                url + "/a",
                url + "/b",
                local + "/a");
    }

    @Test
    void namesTheSourcesThatFailAndCopiesTheOthers() throws Exception {
        make("echo a > a && echo b > b", local);
        assertEquals(1, console.run("put", local + "/none", local + "/a", local + "/b", url));
        assertEquals(List.of("a", "b"), names(exported));
        assertEquals(2, console.errLines().size(), console::err);
        assertTrue(console.errLines().getFirst().contains("none"), console::err);
        assertTrue(console.errLines().getLast().endsWith("; 1 failed"), console::err);
        var back = Files.createDirectory(local.resolve("back"));
        assertEquals(1, console.run("get", url + "/none", url + "/a", back.toString()));
        assertEquals(List.of("a"), names(back));
    }

    @Test
    void leavesOutWhatIsExcluded() throws Exception {
        makeTree("local");
        String[] options = {
            "--exclude",
            "*.o",
            "--exclude",
            ".git",
            "--exclude",
            "build/",
            "--exclude",
            "/doc/*.html"
        };
        var put = new ArrayList<>(List.of("put", "-r"));
        put.addAll(List.of(options));
        put.addAll(List.of(local + "/t", url));
        console.succeeds(put.toArray(String[]::new));
        make("test \"$(find t | sort | xargs)\" = 't t/a t/a/x.c t/build t/doc'", exported);
        make("rm -r t", exported);
        makeTree("exported");
        var get = new ArrayList<>(List.of("get", "-r"));
        get.addAll(List.of(options));
        get.addAll(List.of(url + "/t", local + "/u"));
        console.succeeds(get.toArray(String[]::new));
        make("test \"$(find u | sort | xargs)\" = 'u u/a u/a/x.c u/build u/doc'", local);
        assertEquals(2, console.run("put", "--exclude", "[", "-r", local + "/t", url));
    }

    @Test
    void letsTheFirstPatternThatMatchesDecide() throws Exception {
        makeTree("local");
        console.succeeds(
                "put", "-r", "--include=*/", "--include=*.c", "--exclude=*", local + "/t", url);
        make(
                "test \"$(find t | sort | xargs)\" = 't t/.git t/a t/a/build t/a/x.c t/doc'",
                exported);
        make("rm -r t", exported);
        console.succeeds(
                "put", "-r", "--exclude=x.*", "--include=x.c", "--exclude=.*", local + "/t", url);
        make(
                "test \"$(find t -type f | sort | xargs)\" = 't/a/build/y t/build t/doc/i.html'",
                exported);
        make("rm -r t", exported);
        makeTree("exported");
        console.succeeds("get", "-r", "--include=/a/***", "--exclude=*", url + "/t", local + "/u");
        make(
                "test \"$(find u | sort | xargs)\" = 'u u/a u/a/build u/a/build/y u/a/x.c u/a/x.o'",
                local);
        make("touch u/more u/a/more", local);
        console.succeeds(
                "sync", "--delete", "--include=/a/***", "--exclude=*", url + "/t/", local + "/u");
        make("test -e u/more && test ! -e u/a/more && test -e u/a/x.c", local);
    }

    @Test
    void triesCopiesWithoutAnyChange() throws Exception {
        makeTree("local");
        console.succeeds("put", "-rn", "--exclude", "doc", local + "/t", url);
        assertEquals(List.of(), names(exported));
        var lines = console.out().lines().sorted().toList();
        assertEquals(
                List.of(
                        "would copy /data/t/.git/z",
                        "would copy /data/t/a/build/y",
                        "would copy /data/t/a/x.c",
                        "would copy /data/t/a/x.o",
                        "would copy /data/t/build",
                        "would make the directory /data/t",
                        "would make the directory /data/t/.git",
                        "would make the directory /data/t/a",
                        "would make the directory /data/t/a/build"),
                lines);
        assertEquals(
                List.of("nothing was changed; it would copy 5 files, 10 bytes"),
                console.errLines());
        console.succeeds("put", "-n", local + "/t/build", url + "/x");
        assertEquals("would copy /data/x\n", console.out());
        makeTree("exported");
        console.succeeds("get", "-rn", "--json", url + "/t", local + "/u");
        assertFalse(Files.exists(local.resolve("u")));
        new JsonText(console.out()).whole();
        assertTrue(
                console.out()
                        .contains(
                                "{\"step\":\"copy\",\"path\":\""
                                        + local
                                        + "/u/a/x.c\",\"bytes\":2}"),
                console::out);
        console.succeeds("get", "-n", url + "/t/build", local + "/x");
        assertEquals("would copy " + local + "/x\n", console.out());
        assertEquals(List.of("t"), names(local));
        assertEquals(2, console.run("get", "-n", url + "/t/build", "-"));
    }

    @Test
    void printsTotalsForPrograms() throws Exception {
        make("echo a > a", local);
        console.succeeds("put", "--json", local + "/a", url);
        new JsonText(console.out()).whole();
        assertTrue(console.out().startsWith("{\"files\":1,\"bytes\":2,"), console::out);
    }

    @Test
    void copiesNoFasterThanAllowed() throws Exception {
        Files.write(local.resolve("a"), new byte[200_000]);
        long start = System.nanoTime();
        // A number alone counts KiB, as in rsync.
        console.succeeds("put", "--bwlimit", "200", local + "/a", url);
        // The first transfer, of a quarter of a second, need not wait.
        assertTrue(System.nanoTime() - start > 600_000_000, console::err);
        console.succeeds("get", "--bwlimit", "100M", url + "/a", local + "/b");
        assertEquals(-1, Files.mismatch(local.resolve("a"), local.resolve("b")));
        assertEquals(2, console.run("get", "--bwlimit", "0", url + "/a", local + "/b"));
        assertEquals(2, console.run("get", "--bwlimit", "fast", url + "/a", local + "/b"));
    }

    /** Goal: a copy goes on where a killed process ended, in both directions. */
    @Test
    void goesOnWhereAKilledCopyEnded() throws Exception {
        var bytes = new byte[80 << 20];
        new Random(1).nextBytes(bytes);
        Files.write(local.resolve("large"), bytes);
        killAfterACheckpoint(exported, "put", local + "/large", url);
        console.succeeds("put", "--resume", local + "/large", url);
        assertTrue(console.err().contains(" MiB were there"), console::err);
        assertEquals(-1, Files.mismatch(local.resolve("large"), exported.resolve("large")));
        assertEquals(List.of("large"), names(exported));
        var back = Files.createDirectory(local.resolve("back"));
        killAfterACheckpoint(back, "get", url + "/large", back.toString());
        console.succeeds("get", "--json", "--resume", url + "/large", back.toString());
        assertTrue(console.out().contains("\"resumedBytes\":33554432,"), console::out);
        assertEquals(-1, Files.mismatch(local.resolve("large"), back.resolve("large")));
        assertEquals(List.of("large"), names(back));
        assertEquals(2, console.run("get", "-n", "--resume", url + "/large", back.toString()));
    }

    @Test
    void saysWhereNoCopyCanGoOn() throws Exception {
        try (var large =
                FileChannel.open(
                        local.resolve("large"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE)) {
            large.write(ByteBuffer.wrap(new byte[1]), (64 << 20) - 1);
        }
        var shared = Files.createDirectory(exported.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        console.succeeds("put", "--resume", local + "/large", url);
        assertEquals(-1, console.err().indexOf("--resume does not work"), console::err);
        console.succeeds("put", "--resume", local + "/large", url + "/shared");
        var lines = console.err().lines().filter(line -> line.contains("--resume")).toList();
        assertEquals(1, lines.size(), console::err);
        assertTrue(
                lines.getFirst()
                        .endsWith(
                                "shared/large, which is copied from the beginning: other users may"
                                        + " rename files in its directory"),
                console::err);
    }

    private static void killAfterACheckpoint(Path in, String command, String from, String to)
            throws Exception {
        // After the first checkpoint it takes more than a second to the next.
        var process = CommandProcess.start(command, "--resume", "--bwlimit", "24M", from, to);
        Eventually.await(
                () ->
                        !process.isAlive()
                                || names(in).stream().anyMatch(it -> it.endsWith("-jz6rk.part")));
        assertTrue(process.isAlive());
        process.destroyForcibly().waitFor();
        assertEquals(1, names(in).size());
    }
}
