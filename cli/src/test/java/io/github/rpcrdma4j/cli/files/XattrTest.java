package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: {@code xattr} does what xattr(1) does, with the names of Linux. */
@Timeout(120)
class XattrTest extends ServedCopies {
    private static final int USAGE = 2;

    private Path file;

    @BeforeEach
    void makeFile() throws Exception {
        file = Files.writeString(exported.resolve("file"), "file");
        try {
            set("test", "test");
            view().delete("test");
        } catch (IOException | UnsupportedOperationException | NullPointerException _) {
            assumeTrue(false, "there are no extended attributes here");
        }
    }

    private UserDefinedFileAttributeView view() {
        return Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
    }

    private void set(String name, String value) throws IOException {
        view().write(name, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    }

    private String value(String name) throws IOException {
        var value = ByteBuffer.allocate(view().size(name));
        view().read(name, value);
        return new String(value.array(), StandardCharsets.UTF_8);
    }

    private void shows(String lines, String... arguments) {
        console.succeeds(arguments);
        assertEquals(lines, console.out());
    }

    @Test
    void attributesAreSetShownAndRemoved() throws Exception {
        var at = url + "/file";
        shows("", "xattr", at);
        shows("", "xattr", "-w", "user.origin", "lab 7", at);
        assertEquals("lab 7", value("origin"));
        shows("user.origin\n", "xattr", at);
        shows("user.origin: lab 7\n", "xattr", "-l", at);
        shows("lab 7\n", "xattr", "-p", "user.origin", at);
        shows("user.origin: lab 7\n", "xattr", "-p", "-l", "user.origin", at);
        shows("6C 61 62 20 37\n", "xattr", "-px", "user.origin", at);
        shows("user.origin: 6C 61 62 20 37\n", "xattr", "-lx", at);
        shows("", "xattr", "-d", "user.origin", at);
        assertEquals(List.of(), view().list());
        set("a", "1");
        set("b", "2");
        shows("", "xattr", "-c", at);
        assertEquals(List.of(), view().list());
        shows("", "xattr", "-c", at);
    }

    @Test
    void valuesMayBeAnyBytesAndEmpty() throws Exception {
        var at = url + "/file";
        shows("", "xattr", "-w", "-x", "user.raw", "00 ff\n0A", at);
        var value = ByteBuffer.allocate(3);
        view().read("raw", value);
        assertEquals(ByteBuffer.wrap(new byte[] {0, -1, 10}), value.flip());
        shows("00 FF 0A\n", "xattr", "-p", "-x", "user.raw", at);
        shows("", "xattr", "-w", "user.raw", "", at);
        shows("user.raw: \n", "xattr", "-l", at);
    }

    @Test
    void severalFilesAreNamed() throws Exception {
        set("a", "1");
        Files.writeString(exported.resolve("other"), "other");
        shows("/data/file: user.a\n", "xattr", url + "/file", url + "/other");
        shows("/data/file: user.a: 1\n", "xattr", "-l", url + "/*");
        Files.createSymbolicLink(exported.resolve("link"), Path.of("file"));
        shows("user.a\n", "xattr", url + "/link");
        assertEquals(1, console.run("xattr", "-p", "user.a", url + "/file", url + "/other"));
        assertEquals("/data/file: 1\n", console.out());
        assertEquals(
                List.of("rpcrdma: cannot read user.a of /data/other: no such extended attribute"),
                console.errLines());
    }

    @Test
    void jsonHasNamesOrValues() throws Exception {
        set("a", "\"1\"");
        var start = "[{\"path\":\"/data/file\",\"xattrs\":";
        shows(start + "[\"user.a\"]}]\n", "xattr", "--json", url + "/file");
        shows(start + "{\"user.a\":\"\\\"1\\\"\"}}]\n", "xattr", "--json", "-l", url + "/file");
        console.succeeds("xattr", "--json", "-w", "user.a", "2", url + "/file");
        assertTrue(console.out().contains("\"/data/file\""), console::out);
    }

    @Test
    void whatMakesNoSenseIsRefusedBeforeAnythingIsSent() throws Exception {
        var at = url + "/file";
        for (var each :
                List.of(
                        List.of("-p", "-w", "user.a", "1", at),
                        List.of("-l", "-d", "user.a", at),
                        List.of("-x", "-c", at),
                        List.of("-x", at),
                        List.of("-w", "user.a", at),
                        List.of("-p", at),
                        List.of("-w", "-x", "user.a", "abc", at),
                        List.of("-w", "user.", "1", at),
                        List.of("-r", at),
                        List.of("-s", at))) {
            var arguments = new java.util.ArrayList<>(List.of("xattr"));
            arguments.addAll(each);
            assertEquals(USAGE, console.run(arguments.toArray(String[]::new)), each::toString);
        }
        assertEquals(USAGE, console.run("xattr", "-w", "origin", "1", at));
        assertEquals(
                List.of(
                        "rpcrdma: a server has attributes of users alone, whose names begin with"
                                + " user.: not origin"),
                console.errLines());
        assertEquals(List.of(), view().list());
    }

    @Test
    void onlyVersion42HasThem() {
        fails(
                "cannot list the attributes of /data/file:"
                        + " version 3 of NFS has no extended attributes",
                "xattr",
                "--vers",
                "3",
                url + "/file");
        fails(
                "cannot remove user.a of /data/file: no such extended attribute",
                "xattr",
                "-d",
                "user.a",
                url + "/file");
    }

    /** Goal: the commands keep them with the version that has them. */
    @Test
    void copiesKeepThem() throws Exception {
        var original = Files.writeString(local.resolve("original"), "x");
        file = original;
        set("a", "1");
        console.succeeds("put", "-a", "--vers", "4.2", original.toString(), url + "/copy");
        file = exported.resolve("copy");
        assertEquals("1", value("a"));
        console.succeeds("cp", "-a", "--vers", "4.2", url + "/copy", "/data/second");
        file = exported.resolve("second");
        assertEquals("1", value("a"));
        console.succeeds("get", "-a", "--vers", "4.2", url + "/second", local + "/back");
        file = local.resolve("back");
        assertEquals("1", value("a"));
        file = original;
        set("a", "2");
        console.succeeds("sync", "-a", "--vers", "4.2", original.toString(), url + "/copy");
        file = exported.resolve("copy");
        assertEquals("2", value("a"));
        console.succeeds("put", "-a", "--vers", "3", original.toString(), url + "/third");
        file = exported.resolve("third");
        assertEquals(List.of(), view().list());
    }
}
