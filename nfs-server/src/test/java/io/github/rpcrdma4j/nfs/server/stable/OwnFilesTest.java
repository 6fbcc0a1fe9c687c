package io.github.rpcrdma4j.nfs.server.stable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a file counts as ours only if no other user can put another one in its place. */
class OwnFilesTest {
    private static final int STRANGER = 2000;

    @TempDir private Path made;
    private Path directory;
    private Path file;

    @BeforeEach
    void make() throws Exception {
        made = made.toRealPath();
        directory = Files.createDirectory(made.resolve("directory"));
        file = Files.createFile(directory.resolve("file"));
        set(directory, "mode", 0755);
        set(file, "mode", 0644);
    }

    private static void set(Path path, String attribute, int value) throws IOException {
        Files.setAttribute(path, "unix:" + attribute, value, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    private void refused(Path path, Path named) {
        var refused = assertThrows(IOException.class, () -> OwnFiles.require(path));
        assertTrue(refused.getMessage().startsWith(named + " "), refused::getMessage);
    }

    @Test
    void takesFilesOfThisUserAndFilesToBe() throws Exception {
        assertEquals(file, OwnFiles.require(file));
        assertEquals(directory, OwnFiles.require(directory));
        var later = directory.resolve("later");
        assertEquals(later, OwnFiles.require(later));
        assertEquals(later.resolve("on"), OwnFiles.require(later.resolve("on")));
        assertEquals(file, OwnFiles.require(directory.resolve("../directory/./file")));
    }

    /** Whole table: the mode of the directory and of the file. */
    @ParameterizedTest
    @CsvSource({
        "755, 644, true", "700, 600, true", "777, 644, false", "1777, 644, true",
        "757, 644, false", "1757, 644, true", "755, 646, false", "755, 666, false",
    })
    void othersMayWriteNeitherTheFileNorItsDirectory(String of, String mode, boolean isOurs)
            throws Exception {
        set(directory, "mode", Integer.parseInt(of, 8));
        set(file, "mode", Integer.parseInt(mode, 8));
        if (isOurs) {
            assertEquals(file, OwnFiles.require(file));
        } else {
            assertThrows(IOException.class, () -> OwnFiles.require(file));
        }
    }

    @Test
    void followsLinksOfThisUser() throws Exception {
        var link = Files.createSymbolicLink(made.resolve("link"), directory);
        var chain = Files.createSymbolicLink(made.resolve("chain"), Path.of("link/../directory"));
        assertEquals(file, OwnFiles.require(link.resolve("file")));
        assertEquals(file, OwnFiles.require(chain.resolve("file")));
        var circle = made.resolve("circle");
        Files.createSymbolicLink(circle, circle);
        assertThrows(IOException.class, () -> OwnFiles.require(circle));
    }

    /** A link leads through a directory that others may write. */
    @Test
    void looksAtEachDirectoryThatALinkLeadsThrough() throws Exception {
        var open = Files.createDirectory(made.resolve("open"));
        set(open, "mode", 0777);
        Files.createSymbolicLink(open.resolve("hop"), directory);
        var link = Files.createSymbolicLink(made.resolve("link"), open.resolve("hop"));
        refused(link.resolve("file"), open);
    }

    @Test
    void takesNothingOfAnotherUser() throws Exception {
        assumeTrue(isRoot(), "only root can make files of others");
        set(file, "uid", STRANGER);
        refused(file, file);
        set(file, "uid", 0);
        set(directory, "uid", STRANGER);
        refused(file, directory);
        refused(directory.resolve("later"), directory);
        set(directory, "uid", 0);
        set(directory, "mode", 01777);
        var planted = Files.createSymbolicLink(directory.resolve("planted"), file);
        set(planted, "uid", STRANGER);
        refused(planted, planted);
    }

    /**
     * Whole table: the owner, and the mode. With a list, the group's bits are those of all in it.
     */
    @ParameterizedTest
    @CsvSource({
        // Root's directories are made by the system, such as /var/log.
        "0, 755, false", "0, 775, false", "0, 757, true", "0, 777, true",
        "1000, 755, false", "1000, 775, true", "1000, 757, true", "1000, 777, true",
        "1000, 700, false", "1000, 664, true", "1000, 620, true", "1000, 644, false",
    })
    void groupsMayWriteOnlyWhatIsOfRoot(int uid, String mode, boolean isOpen) {
        assertEquals(isOpen, new OwnFiles.Owned(uid, Integer.parseInt(mode, 8), 1).isOpen());
    }

    @Test
    void theOwnGroupOfAUserMayNotWrite() throws Exception {
        assumeTrue(!isRoot(), "what is root's may be open to a group");
        set(directory, "mode", 0775);
        refused(file, directory);
        set(directory, "mode", 0755);
        set(file, "mode", 0664);
        refused(file, file);
    }

    @Test
    void takesNoFileThatHasAnotherName() throws Exception {
        var other = Files.createLink(made.resolve("other"), file);
        refused(file, file);
        Files.delete(other);
        assertEquals(file, OwnFiles.require(file));
    }
}
