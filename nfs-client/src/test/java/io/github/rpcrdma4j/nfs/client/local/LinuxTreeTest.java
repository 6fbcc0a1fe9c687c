package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

class LinuxTreeTest extends LocalTreeContract {
    @Override
    Set<Trait> traits() {
        return EnumSet.allOf(Trait.class);
    }

    @Override
    Path makeDirectory() throws IOException {
        assumeTrue(SystemCalls.missing().isEmpty(), () -> SystemCalls.missing().orElse(""));
        return Files.createTempDirectory("nfs-client").toRealPath();
    }

    @Override
    LocalTree open(Path opened) throws IOException {
        return assertInstanceOf(LinuxTree.class, LocalTree.open(opened, WHAT));
    }

    /** Files whose opening may block or have side effects. */
    private static final List<FileType> NODES = List.of(FileType.FIFO, FileType.SOCKET);

    @Test
    @Timeout(20)
    void whatIsNoRegularFileIsNeitherOpenedNorWaitedFor() throws IOException {
        for (var type : NODES) {
            var node = at(type.name());
            tree.makeNode(node, type, 0666, 0, 0, WHAT);
            fails(Reason.UNSUPPORTED, () -> tree.read(node, WHAT));
            fails(Reason.EXISTS, () -> tree.create(node, 0600, WHAT));
            fails(Reason.NOT_A_DIRECTORY, () -> tree.list(node, (_, _) -> {}, WHAT));
            fails(Reason.OTHER, () -> tree.readLink(node, WHAT));
            fails(Reason.NOT_A_DIRECTORY, () -> tree.status(node.child(FileName.of("x")), WHAT));
            var time = Instant.ofEpochSecond(1000, 1);
            change(node, LocalChanges.ofMode(0640).withTimes(time, time));
            assertEquals(0640, status(node).mode());
            assertEquals(time, status(node).modified());
            tree.link(node, at("other-" + type), WHAT);
            assertEquals(type, status(at("other-" + type)).type());
            tree.rename(at("other-" + type), at("renamed"), WHAT);
            tree.remove(at("renamed"), WHAT);
            tree.rename(makeFile(at("file"), ""), node, WHAT);
            assertEquals(FileType.REGULAR, status(node).type());
        }
    }

    @Test
    @Timeout(20)
    void onlyARegularFileIsReopenedAndKeepsItsContents() throws IOException {
        var file = makeFile(at("file"), "content");
        try (var opened = tree.reopen(file, WHAT)) {
            opened.write(MemorySegment.ofArray(new byte[] {'C'}), 0);
            opened.sync();
        }
        assertEquals("Content", content(file));
        var link = makeLink(at("link"), "file");
        fails(Reason.LINK, () -> tree.reopen(link, WHAT));
        tree.makeNode(at("fifo"), FileType.FIFO, 0666, 0, 0, WHAT);
        fails(Reason.UNSUPPORTED, () -> tree.reopen(at("fifo"), WHAT));
        fails(Reason.MISSING, () -> tree.reopen(at("none"), WHAT));
    }

    /** Returns the number of open descriptors of files in the test's directory. */
    private int descriptors() throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return (int)
                    all.filter(
                                    each -> {
                                        try {
                                            return isOfTest(Files.readSymbolicLink(each));
                                        } catch (NoSuchFileException closed) {
                                            return false;
                                        } catch (IOException failure) {
                                            throw new AssertionError(failure);
                                        }
                                    })
                            .count();
        }
    }

    private boolean isOfTest(Path target) {
        return target.startsWith(directory);
    }

    @Test
    void noDescriptorStaysOpenButThatOfTheRoot() throws IOException {
        assertEquals(1, descriptors());
        makeFile(makeDirectory(at("directory")).child(FileName.of("file")), "content");
        makeLink(at("link"), "directory");
        tree.makeNode(at("fifo"), FileType.FIFO, 0600, 0, 0, WHAT);
        var deep = LocalPath.ROOT;
        for (int i = 0; i < 40; i++) {
            deep = makeDirectory(deep.child(FileName.of("d".repeat(200))));
        }
        var end = deep;
        var missing = end.child(FileName.of("missing"));
        var far = missing;
        for (int i = 0; i < 40; i++) {
            far = far.child(FileName.of("d".repeat(200)));
        }
        for (var file :
                List.of(
                        LocalPath.ROOT,
                        at("directory"),
                        at("directory", "file"),
                        at("link"),
                        at("link", "x"),
                        at("fifo"),
                        at("directory", "file", "x"),
                        at("n".repeat(300)),
                        at("n".repeat(5000)),
                        at("d".repeat(200), "n".repeat(991)),
                        end,
                        missing,
                        far)) {
            tryAll(file);
            assertEquals(1, descriptors(), () -> "of " + file.depth() + " " + file.name());
        }
        assertThrows(LocalException.class, () -> LocalTree.open(directory.resolve("x"), WHAT));
        assertEquals(1, descriptors());
        tree.close();
        tree.close();
        assertEquals(0, descriptors());
    }

    /** Tries every operation on a file; each may fail. */
    private void tryAll(LocalPath file) {
        var other = at("directory", "file");
        attempt(() -> tree.status(file, WHAT));
        attempt(() -> tree.list(file, (_, _) -> {}, WHAT));
        attempt(() -> tree.read(file, WHAT).close());
        attempt(() -> tree.create(file, 0600, WHAT).close());
        attempt(() -> tree.makeDirectory(file, 0700, WHAT));
        attempt(() -> tree.makeLink(file, PathName.of("x"), WHAT));
        attempt(() -> tree.makeNode(file, FileType.FIFO, 0600, 0, 0, WHAT));
        attempt(() -> tree.readLink(file, WHAT));
        attempt(() -> change(file, LocalChanges.NONE.withOwner(-1, 0)));
        attempt(() -> change(file, LocalChanges.ofMode(0700)));
        attempt(() -> tree.link(file, other, WHAT));
        attempt(() -> tree.link(other, file, WHAT));
        attempt(() -> tree.rename(file, file, WHAT));
        attempt(() -> tree.rename(file, at("directory"), WHAT));
        attempt(() -> tree.rename(at("missing"), file, WHAT));
        attempt(() -> tree.rename(at("directory"), file, WHAT));
        attempt(() -> tree.rename(file, at("directory"), WHAT));
    }

    private static void attempt(Executable step) {
        try {
            step.execute();
        } catch (LocalException | IllegalStateException _) {
            // The test only checks which descriptors stay open.
        } catch (Throwable broken) {
            throw new AssertionError(broken);
        }
    }

    @Test
    void namesOfMoreBytesThanLinuxKeepsAreRefusedByTheFileSystemItself() {
        fails(Reason.NAME_TOO_LONG, () -> tree.status(at("n".repeat(991)), WHAT));
        fails(Reason.NAME_TOO_LONG, () -> tree.status(at("n".repeat(992)), WHAT));
    }

    @Test
    void aDeviceIsNotOpenedToBeRead() throws IOException {
        try {
            tree.makeNode(at("device"), FileType.CHARACTER_DEVICE, 0666, 1, 7, WHAT);
        } catch (LocalException refused) {
            assumeTrue(false, "this user makes no devices: " + refused.getMessage());
        }
        fails(Reason.UNSUPPORTED, () -> tree.read(at("device"), WHAT));
        assertEquals(1, status(at("device")).major());
        assertEquals(7, status(at("device")).minor());
    }

    @Test
    void aFileIsWhatItWasWhateverTakesItsName() throws IOException {
        var file = makeFile(at("file"), "old");
        try (var opened = tree.read(file, WHAT);
                var arena = Arena.ofConfined()) {
            long inode = opened.status().inode();
            tree.rename(makeFile(at("new"), "new!"), file, WHAT);
            assertEquals(inode, opened.status().inode());
            assertEquals(3, opened.status().size());
            assertEquals(3, opened.read(arena.allocate(9), 0));
        }
    }

    @Test
    void aFileTooLargeForTheFileSystemIsSaidToBe() throws IOException {
        try (var file = tree.create(at("file"), 0600, WHAT)) {
            failsWithOneOf(
                    Set.of(Reason.TOO_LARGE, Reason.OTHER),
                    () -> file.write(MemorySegment.ofArray(new byte[2]), Long.MAX_VALUE - 2));
            fails(Reason.TOO_LARGE, () -> file.resize(Long.MAX_VALUE));
        }
    }

    @Test
    void whatIsMountedBelowIsPartOfTheTree() throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "nothing is mounted at /proc");
        try (var top = LocalTree.open(Path.of("/"), WHAT)) {
            assertTrue(top.list(at("proc"), (_, _) -> {}, WHAT).contains(FileName.of("version")));
            assertEquals(FileType.SYMBOLIC_LINK, top.status(at("proc", "self"), WHAT).type());
            fails(Reason.LINK, () -> top.status(at("proc", "self", "status"), WHAT));
            var pid = Long.toString(ProcessHandle.current().pid());
            // The kernel resolves these links itself, not by their text.
            fails(Reason.LINK, () -> top.status(at("proc", pid, "cwd", "x"), WHAT));
            try (var file = top.read(at("proc", "version"), WHAT);
                    var arena = Arena.ofConfined()) {
                assertTrue(file.read(arena.allocate(100), 0) > 0);
            }
        }
        assertTrue(Files.exists(directory, LinkOption.NOFOLLOW_LINKS));
    }
}
