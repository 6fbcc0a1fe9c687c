package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import io.github.rpcrdma4j.nfs.client.NfsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a command of root touches no file that a link of another user in a sticky directory of the
 * server leads to. Method: the directory {@code tmp} of the server is open to all. In it lie links
 * of another user to files of root, and each command uses their names over RDMA.
 */
@Timeout(120)
class LinksOfOthersTest extends ServedCopies {
    private static final int MALLORY = 70001;
    private static final int BOB = 70002;
    private static final FileTime OLD = FileTime.fromMillis(1_000_000_000_000L);
    private static final String FILE =
            "/data/tmp/file is a link of user 70001 in a directory that all may write to: not"
                    + " followed";
    private static final String DIRECTORY = FILE.replace("tmp/file", "tmp/conf");

    private Path shared;
    private Path secret;
    private Path precious;

    @BeforeEach
    void make() throws Exception {
        assumeTrue(isRoot(), "only root makes links of others");
        make("mkdir -m 1777 tmp; mkdir -p own/conf; printf root > own/file", exported);
        make("printf precious > own/conf/precious; chmod 600 own/file", exported);
        make("mkdir from; printf new > from/new; printf new > new", local);
        shared = exported.resolve("tmp");
        secret = exported.resolve("own/file");
        precious = exported.resolve("own/conf/precious");
        Files.setLastModifiedTime(secret, OLD);
        link("file", "../own/file", MALLORY);
        link("conf", "../own/conf", MALLORY);
    }

    private void link(String name, String text, int owner) throws IOException {
        var link = Files.createSymbolicLink(shared.resolve(name), Path.of(text));
        Files.setAttribute(link, "unix:uid", owner, LinkOption.NOFOLLOW_LINKS);
    }

    private void requireUntouched() throws IOException {
        assertEquals("root", Files.readString(secret));
        assertEquals(0, Files.getAttribute(secret, "unix:uid"));
        assertEquals("rw-------", mode(secret));
        assertEquals(OLD, Files.getLastModifiedTime(secret));
        assertEquals(List.of("precious"), names(precious.getParent()));
        assertEquals("precious", Files.readString(precious));
        assertEquals(List.of("conf", "file"), names(exported.resolve("own")));
        assertEquals(List.of("conf", "file"), names(shared));
        assertEquals(List.of("from", "new"), names(local));
    }

    private static String[] with(String version, List<String> words) {
        var all = new ArrayList<>(words);
        all.addAll(1, List.of("--vers", version));
        return all.toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void noCommandFollowsALinkOfAnotherUserAtTheEndOfAPath(String version) throws Exception {
        var file = url + "/tmp/file";
        var directory = url + "/tmp/conf";
        var from = local.resolve("from").toString();
        for (var each :
                List.of(
                        List.of("put", local.resolve("new").toString(), file),
                        List.of("cp", url + "/own/conf/precious", file),
                        List.of("mv", url + "/own/conf/precious", file),
                        List.of("chown", "70001", file),
                        List.of("chmod", "666", file),
                        List.of("touch", file),
                        List.of("sync", local.resolve("new").toString(), file),
                        List.of("get", file, local.resolve("got").toString()),
                        List.of("cat", file))) {
            fails(FILE, with(version, each));
            requireUntouched();
        }
        for (var each :
                List.of(
                        List.of("put", "-r", from, directory),
                        List.of("cp", "-r", directory, url + "/own/copy"),
                        List.of("sync", "--delete", from + "/", directory),
                        List.of("sync", "-n", "--delete", from + "/", directory),
                        List.of("sync", directory + "/", local.resolve("got").toString()),
                        List.of("chmod", "-R", "777", directory + "/"),
                        List.of("ls", directory + "/"),
                        List.of("tree", directory + "/"))) {
            fails(DIRECTORY, with(version, each));
            requireUntouched();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void noCommandFollowsALinkOfAnotherUserWithinAPath(String version) throws Exception {
        var inside = url + "/tmp/conf/precious";
        var other = url + "/tmp/conf/other";
        for (var each :
                List.of(
                        List.of("rm", inside),
                        List.of("mv", inside, url + "/tmp/got"),
                        List.of("mv", url + "/own/file", other),
                        List.of("ln", inside, url + "/tmp/got"),
                        List.of("ln", "-s", "text", other),
                        List.of("mkdir", other),
                        List.of("mkdir", "-p", other + "/deeper"),
                        List.of("touch", other),
                        List.of("chmod", "666", inside),
                        List.of("stat", inside),
                        List.of("put", local.resolve("new").toString(), other))) {
            fails(DIRECTORY, with(version, each));
            requireUntouched();
        }
    }

    @Test
    void theLinkItselfCanBeShownMovedAndRemoved() throws Exception {
        console.succeeds("ls", "-l", url + "/tmp");
        console.succeeds("stat", url + "/tmp/file");
        console.succeeds("tree", url + "/tmp");
        console.succeeds("get", "-r", url + "/tmp", local.resolve("copy").toString());
        assertEquals(Path.of("../own/file"), Files.readSymbolicLink(local.resolve("copy/file")));
        console.succeeds("mv", url + "/tmp/file", url + "/tmp/renamed");
        console.succeeds("rm", url + "/tmp/renamed", url + "/tmp/conf");
        assertEquals(List.of(), names(shared));
        assertEquals("root", Files.readString(secret));
    }

    @ParameterizedTest
    @CsvSource({
        "own, 1777, 70002, 0, true",
        "of the owner of the directory, 1777, 70002, 70002, true",
        "of a third user, 1777, 70002, 70001, false",
        "without the sticky bit, 0777, 70002, 70001, true",
        "in a directory of a group, 1775, 70002, 70001, true",
    })
    void linksThatTheKernelFollowsAreFollowed(
            String which, String mode, int directory, int owner, boolean followed)
            throws Exception {
        make("chmod " + mode + " tmp", exported);
        Files.setAttribute(shared, "unix:uid", directory);
        link("link", "../own/file", owner);
        assertEquals(followed ? 0 : 1, console.run("cat", url + "/tmp/link"), which);
    }

    @Test
    void theRootOfAnExportIsSuchADirectoryTooAlsoIfItBecomesOneLater() throws Exception {
        Files.createSymbolicLink(exported.resolve("link"), Path.of("own/file"));
        Files.setAttribute(
                exported.resolve("link"), "unix:uid", MALLORY, LinkOption.NOFOLLOW_LINKS);
        try (var files = NfsFiles.connect(url);
                var read = files.newInputStream("/data/link")) {
            assertEquals("root", new String(read.readAllBytes()));
            make("chmod 1777 .", exported);
            assertThrows(IOException.class, () -> files.newInputStream("/data/link"));
        }
    }

    @Test
    void programsAreProtectedAsCommandsAre() throws Exception {
        link("mine", "../own/conf/precious", 0);
        Files.setAttribute(shared, "unix:uid", BOB);
        try (var files = NfsFiles.connect(url)) {
            var refused =
                    assertThrows(IOException.class, () -> files.newOutputStream("/data/tmp/file"));
            assertEquals(FILE, refused.getMessage());
            assertThrows(IOException.class, () -> files.list("/data/tmp/conf"));
            assertThrows(IOException.class, () -> files.delete("/data/tmp/conf/precious"));
            try (var read = files.newInputStream("/data/tmp/mine")) {
                assertEquals("precious", new String(read.readAllBytes()));
            }
        }
        assertEquals("root", Files.readString(secret));
    }
}
