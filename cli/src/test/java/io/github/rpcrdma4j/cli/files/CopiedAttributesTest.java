package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.ServedCopies;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a copy has the modes, times, kinds and holes of its source, as far as the user asks. */
class CopiedAttributesTest extends ServedCopies {
    @Test
    void keepsModesAndWidensNone() throws Exception {
        var key = withMode(Files.writeString(local.resolve("key"), "key"), "rw-------");
        var tool = withMode(Files.writeString(local.resolve("tool"), "tool"), "rwxr-xr-x");
        console.succeeds("put", key.toString(), url);
        console.succeeds("put", tool.toString(), url);
        assertEquals("rw-------", mode(exported.resolve("key")));
        assertEquals("rwxr-xr-x", mode(exported.resolve("tool")));
        // A replaced file keeps its mode, less the rights that the source does not grant.
        withMode(exported.resolve("key"), "rw-rw-r--");
        console.succeeds("put", key.toString(), url);
        assertEquals("rw-------", mode(exported.resolve("key")));
        withMode(exported.resolve("tool"), "rwx------");
        console.succeeds("put", tool.toString(), url);
        assertEquals("rwx------", mode(exported.resolve("tool")));
        console.succeeds("get", url + "/key", local + "/back");
        assertEquals("rw-------", mode(local.resolve("back")));
    }

    /** The replaced file let a group read it; the new file belongs to another group. */
    @Test
    void givesNoRightsOfOneGroupToAnother() throws Exception {
        assumeTrue(isRoot(), "only root gives files to any group");
        var source = withMode(Files.writeString(local.resolve("source"), "new"), "rw-rw----");
        for (var file : List.of(exported.resolve("file"), local.resolve("file"))) {
            withMode(Files.writeString(file, "old"), "rw-rw-r--");
            Files.setAttribute(file, "unix:gid", 7);
        }
        console.succeeds("put", source.toString(), url + "/file");
        assertEquals("rw-------", mode(exported.resolve("file")));
        withMode(exported.resolve("file"), "rw-rw----");
        console.succeeds("get", url + "/file", local + "/file");
        assertEquals("rw-------", mode(local.resolve("file")));
        for (var file : List.of(exported.resolve("file"), local.resolve("file"))) {
            assertEquals("new", Files.readString(file));
            assertNotEquals(7, Files.getAttribute(file, "unix:gid"));
        }
    }

    @Test
    void aNewFileHasThePermissionsOfItsSourceLessTheUmask() throws Exception {
        var tree = Files.createDirectory(local.resolve("tree"));
        withMode(Files.writeString(tree.resolve("file"), "x"), "rw-rw-r--");
        withMode(Files.writeString(exported.resolve("there"), "x"), "rw-rw-r--");
        var script = "umask 022 && exec \"$0\" \"$@\"";
        var put = CommandProcess.ofShell(script, "put", "-r", tree.toString(), url);
        assertEquals(0, put.status(), put.errLines()::toString);
        assertEquals("rw-r--r--", mode(exported.resolve("tree/file")));
        var get = CommandProcess.ofShell(script, "get", "-r", url + "/there", local + "/back");
        assertEquals(0, get.status(), get.errLines()::toString);
        assertEquals("rw-r--r--", mode(local.resolve("back")));
    }

    @Test
    void keepsModeAndTimesOnRequest() throws Exception {
        var file = withMode(Files.writeString(local.resolve("file"), "x"), "r-xrwx--x");
        var time = FileTime.from(Instant.ofEpochSecond(1_500_000_000, 123_456_789));
        Files.setLastModifiedTime(file, time);
        console.succeeds("put", "-p", file.toString(), url);
        console.succeeds("get", "-p", url + "/file", local + "/back");
        for (var copy : List.of(exported.resolve("file"), local.resolve("back"))) {
            assertEquals("r-xrwx--x", mode(copy));
            assertEquals(time, Files.getLastModifiedTime(copy));
        }
    }

    @Test
    void makesSpecialFilesAndHardLinksAnew() throws Exception {
        var tree = Files.createDirectory(local.resolve("tree"));
        make("mkfifo -m 640 fifo && echo x > a && ln a b && mkdir sub && ln a sub/c", tree);
        console.succeeds("put", "-a", tree.toString(), url);
        console.succeeds("get", "-a", url + "/tree", local + "/back");
        for (var copy : List.of(exported.resolve("tree"), local.resolve("back"))) {
            make("test -p fifo && test $(stat -c %a fifo) = 640", copy);
            make("test a -ef b && test a -ef sub/c && test $(cat sub/c) = x", copy);
        }
        console.succeeds("put", "-r", tree.toString(), url + "/plain");
        make("test -p fifo && test ! a -ef b", exported.resolve("plain"));
    }

    @Test
    void keepsHoles() throws Exception {
        var file = local.resolve("holes");
        try (var access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(8 << 20);
            access.write(new byte[] {1, 2, 3});
            access.setLength(20 << 20);
        }
        assumeTrue(used(file) < 1 << 20, "this file system has no holes");
        console.succeeds("put", file.toString(), url);
        console.succeeds("get", url + "/holes", local + "/back");
        for (var copy : List.of(exported.resolve("holes"), local.resolve("back"))) {
            assertEquals(-1, Files.mismatch(file, copy));
            assertTrue(used(copy) < 1 << 20, "bytes used: " + used(copy));
        }
    }

    private static long used(Path file) throws Exception {
        var stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        try (var reader = stat.inputReader()) {
            return 512 * Long.parseLong(reader.readLine());
        }
    }

    @Test
    void givesAFileInPlaceOfALinkNoModeOfTheLink() throws Exception {
        var tree = Files.createDirectory(local.resolve("tree"));
        var file = withMode(Files.writeString(tree.resolve("a"), "a"), "rw-------");
        Files.createDirectory(exported.resolve("tree"));
        Files.createSymbolicLink(exported.resolve("tree/a"), Path.of("nowhere"));
        console.succeeds("put", "-r", tree.toString(), url);
        assertEquals("rw-------", mode(exported.resolve("tree/a")));
        assertEquals("rw-------", mode(file));
    }
}
