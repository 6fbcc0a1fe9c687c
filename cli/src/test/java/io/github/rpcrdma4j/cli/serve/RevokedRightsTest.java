package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: rights that were taken away at the source are taken away from the copy too, a file that
 * another user put in its place gets none, and a second copy finds nothing to do.
 */
class RevokedRightsTest extends ServedCopies {
    private static final String NAMES = "'%n %a %u %g'";

    private Path source;
    private Path copy;
    private String from;
    private String to;

    @BeforeEach
    void requireRoot() throws IOException {
        assumeTrue(isRoot(), "only root gives files to other users");
    }

    /** Chooses where the source is. */
    private void begin(String command) throws IOException {
        boolean isPut = command.equals("put");
        source = Files.createDirectory((isPut ? local : exported).resolve("source"));
        copy = (isPut ? exported : local).resolve("copy");
        from = isPut ? source + "/" : url + "/source/";
        to = isPut ? url + "/copy" : copy.toString();
    }

    private void sync(String... options) {
        var all = new ArrayList<>(List.of("sync"));
        all.addAll(List.of(options));
        all.addAll(List.of(from, to));
        console.succeeds(all.toArray(String[]::new));
    }

    private List<String> lines() {
        return console.out().lines().toList();
    }

    /** Returns what a trial has printed, with the last names of paths. */
    private List<String> planned() {
        return lines().stream()
                .map(line -> line.replaceAll("^would (.*) .*/(.*)$", "$1 $2"))
                .sorted()
                .toList();
    }

    private String totals() {
        return console.errLines().getLast();
    }

    private static String output(String command, Path in) throws Exception {
        var process =
                new ProcessBuilder("sh", "-c", command)
                        .directory(in.toFile())
                        .redirectErrorStream(true)
                        .start();
        var text = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor(), text);
        return text;
    }

    /** Returns names, modes, owners and groups. */
    private static String rights(Path in) throws Exception {
        return output("find . -name '*' -exec stat -c " + NAMES + " {} + | sort", in);
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "put"})
    void rightsThatTheSourceLostAreTakenFromTheCopy(String command) throws Exception {
        begin(command);
        make(
                "for f in owner group user-id group-id sticky mode; do echo $f > $f; done;"
                        + " mkdir directory && mkfifo pipe && ln -s mode link;"
                        + " chown 7000:7001 owner directory pipe && chown -h 7000:7001 link;"
                        + " chgrp 7001 group && chmod 4755 user-id && chmod 2755 group-id;"
                        + " chmod 1644 sticky && chmod 2775 directory",
                source);
        sync();
        assertEquals(rights(source), rights(copy));
        make(
                "chown -h root:root owner directory pipe link group;"
                        + " chmod 0755 user-id group-id directory && chmod 0600 sticky mode",
                source);
        sync("-n");
        // A user that was the owner may have opened the file, and goes on to write to it.
        var changed =
                List.of(
                        "copy link",
                        "copy owner",
                        "copy pipe",
                        "set the attributes of directory",
                        "set the attributes of group",
                        "set the attributes of group-id",
                        "set the attributes of mode",
                        "set the attributes of sticky",
                        "set the attributes of user-id");
        assertEquals(changed, planned());
        sync();
        assertEquals(rights(source), rights(copy));
        requireRest("8 unchanged");
    }

    /** A second copy does nothing, and a trial says so. */
    private void requireRest(String unchanged) {
        sync("-n");
        assertEquals(List.of(), lines());
        sync();
        assertTrue(totals().startsWith("0 files"), this::totals);
        assertTrue(totals().contains(unchanged), this::totals);
    }

    /** The other user can still write to the file, and chose its contents. */
    @ParameterizedTest
    @ValueSource(strings = {"get", "put"})
    void aFileOfAnotherUserIsNotTakenForTheCopy(String command) throws Exception {
        begin(command);
        make(
                "echo source > tool && echo source > file && echo source > ours;"
                        + " mkfifo pipe && chmod 4755 tool ours && touch -d 2024-01-01 *",
                source);
        Files.createDirectory(copy);
        make(
                "for f in tool file ours; do echo others > $f && chmod 0755 $f; done;"
                        + " chmod 0644 file && mkfifo -m 644 pipe && chown 7000:7000 tool file pipe;"
                        + " touch -d 2024-01-01 *",
                copy);
        var before = List.of(inode(copy.resolve("tool")), inode(copy.resolve("pipe")));
        try (var ofOther = Files.newByteChannel(copy.resolve("tool"))) {
            sync("-n");
            assertEquals(
                    List.of("copy file", "copy ours", "copy pipe", "copy tool"),
                    planned().stream().filter(line -> line.startsWith("copy ")).toList());
            sync();
            assertNotEquals(before.get(0), inode(copy.resolve("tool")), ofOther::toString);
        }
        assertNotEquals(before.get(1), inode(copy.resolve("pipe")));
        for (var name : List.of("tool", "file", "ours")) {
            assertEquals("source\n", Files.readString(copy.resolve(name)), name);
        }
        assertEquals(rights(source), rights(copy));
        requireRest("4 unchanged");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "put"})
    void accessControlListsThatTheSourceLostAreTakenFromTheCopy(String command) throws Exception {
        begin(command);
        make("echo x > file && chmod 640 file && mkdir directory && chmod 750 directory", source);
        boolean hasLists = true;
        try {
            make("setfacl -m u:7000:r file && setfacl -d -m u:7000:r directory", source);
        } catch (AssertionError _) {
            hasLists = false;
        }
        assumeTrue(hasLists, "there are no access control lists here");
        sync();
        var list = "getfacl -cn file directory";
        assertEquals(output(list, source), output(list, copy));
        make("setfacl -b file directory && chmod 640 file", source);
        sync("-n");
        assertEquals(2, lines().size(), console::out);
        sync();
        assertEquals(output(list, source), output(list, copy));
        requireRest("1 unchanged");
        // The same the other way: the copy has a list that the source has not.
        make("setfacl -m u:7000:r file && chmod 640 file", copy);
        sync();
        assertEquals(output(list, source), output(list, copy));
    }

    /** The server gives the files of root to another user, and refuses to give them back. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void aCopyToAServerThatKeepsNoOwnersComesToRest(String version) throws Exception {
        begin("put");
        make("echo a > a && echo b > b && chmod 4755 b && ln -s a link && mkfifo p", source);
        make("chown 7000:7001 a", source);
        make("chmod 755 . && mkdir -m 777 open", exported);
        copy = exported.resolve("open/copy");
        var rule = ExportRule.trusting(false).withSquash(ExportRule.Squash.ROOT);
        try (var squashing =
                ServedDirectory.of(new Export("/data", exported, false).with(List.of(rule)))) {
            to = squashing.url() + "/open/copy";
            console.run("sync", "--vers", version, from, to);
            assertTrue(totals().startsWith("4 files"), console::err);
            var inodes = List.of(inode(copy.resolve("a")), inode(copy.resolve("b")));
            assertEquals("755", output("stat -c %a b", copy).strip());
            console.run("sync", "-n", "--vers", version, from, to);
            assertEquals(List.of(), planned());
            console.run("sync", "--vers", version, from, to);
            assertTrue(totals().startsWith("0 files"), console::err);
            assertTrue(totals().contains("4 unchanged"), console::err);
            assertEquals(inodes, List.of(inode(copy.resolve("a")), inode(copy.resolve("b"))));
        }
    }
}
