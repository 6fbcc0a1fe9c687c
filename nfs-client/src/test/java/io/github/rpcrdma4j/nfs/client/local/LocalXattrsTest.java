package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.XattrDirectory;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a file gets exactly the extended attributes that it is to have, and of users alone. */
@EnabledOnOs(OS.LINUX)
class LocalXattrsTest {
    private static final String WHAT = "cannot test";
    private static final LocalPath FILE = LocalPath.ROOT.child(FileName.of("file"));
    private static final FileName NAME = FileName.of("name");

    @TempDir(factory = XattrDirectory.class)
    private Path directory;

    private Path path;
    private LocalTree tree;

    @BeforeEach
    void open() throws Exception {
        path = Files.createFile(directory.resolve("file"));
        tree = LocalTree.open(directory, WHAT);
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private static UserXattrs of(Map<FileName, byte[]> values) {
        var all = new UserXattrs.Gathering();
        values.forEach((name, value) -> assertTrue(all.add(name, value)));
        return all.all();
    }

    private UserXattrs there() throws Exception {
        return tree.xattrs(FILE, tree.status(FILE, WHAT), WHAT).orElseThrow();
    }

    private void set(UserXattrs wanted) throws Exception {
        tree.setXattrs(FILE, tree.status(FILE, WHAT), wanted, "file");
    }

    private UserDefinedFileAttributeView view() {
        return Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
    }

    @Test
    void aFileGetsTheseAndNoOthers() throws Exception {
        assertTrue(there().isNone());
        view().write("old", ByteBuffer.wrap(new byte[] {1}));
        view().write("name", ByteBuffer.wrap(new byte[] {2}));
        var odd = new FileName(new byte[] {(byte) 0xff, '/', 1});
        var wanted = of(Map.of(NAME, new byte[0], odd, new byte[64 << 10]));
        set(wanted);
        assertEquals(wanted, there());
        assertEquals(Set.of(NAME, odd), there().names());
        assertFalse(view().list().contains("old"));
        try (var file = tree.read(FILE, WHAT)) {
            assertEquals(Optional.of(wanted), file.xattrs());
        }
        set(UserXattrs.NONE);
        assertEquals(List.of(), view().list());
    }

    @Test
    void anOpenFileGetsThem() throws Exception {
        var wanted = of(Map.of(NAME, new byte[] {1, 2}));
        var other = LocalPath.ROOT.child(FileName.of("other"));
        try (var file = tree.create(other, 0600, WHAT)) {
            file.setXattrs(wanted, "other");
            assertEquals(Optional.of(wanted), file.xattrs());
        }
    }

    @Test
    void theDirectoryOfATreeHasThemToo() throws Exception {
        var wanted = of(Map.of(NAME, new byte[] {1}));
        var found = tree.status(LocalPath.ROOT, WHAT);
        tree.setXattrs(LocalPath.ROOT, found, wanted, "directory");
        assertEquals(Optional.of(wanted), tree.xattrs(LocalPath.ROOT, found, WHAT));
    }

    /** Goal: what a server says is a name reaches no other namespace. */
    @Test
    void namesThatNoneCanHaveAreRefusedAndTheOthersAreSet() throws Exception {
        var noName = FileName.of("");
        var cut = new FileName("security.capability\0".getBytes());
        var tooLong = FileName.of("x".repeat(251));
        for (var each :
                Map.of(noName, Reason.BAD_NAME, cut, Reason.BAD_NAME, tooLong, Reason.NAME_TOO_LONG)
                        .entrySet()) {
            set(UserXattrs.NONE);
            var wanted = of(Map.of(each.getKey(), new byte[1], NAME, new byte[1]));
            var refused = assertThrows(LocalException.class, () -> set(wanted));
            assertEquals(each.getValue(), refused.reason());
            assertTrue(
                    refused.getMessage().startsWith("cannot keep the extended attribute user."),
                    refused.getMessage());
            assertEquals(List.of("name"), view().list());
        }
        set(of(Map.of(FileName.of("trusted.x"), new byte[1])));
        assertEquals(List.of("trusted.x"), view().list());
    }

    @Test
    void aValueThatIsTooLongIsRefused() {
        var wanted = of(Map.of(NAME, new byte[(64 << 10) + 1]));
        var refused = assertThrows(LocalException.class, () -> set(wanted));
        assertEquals(
                "cannot keep the extended attribute user.name of file:"
                        + " it is longer than this file system takes",
                refused.getMessage());
    }

    @Test
    void aFileWithMoreThanOneMebibyteIsRefused() throws Exception {
        for (int i = 0; i < 17; i++) {
            view().write("n" + i, ByteBuffer.allocate(64 << 10));
        }
        var refused = assertThrows(LocalException.class, this::there);
        assertEquals(Reason.TOO_LARGE, refused.reason());
        assertEquals(
                "cannot test: its extended attributes have more bytes than 1 MiB",
                refused.getMessage());
    }

    @Test
    void linksHaveNone() throws Exception {
        Files.createSymbolicLink(directory.resolve("link"), path);
        view().write("name", ByteBuffer.wrap(new byte[] {1}));
        var link = LocalPath.ROOT.child(FileName.of("link"));
        var found = tree.status(link, WHAT);
        assertTrue(tree.xattrs(link, found, WHAT).orElseThrow().isNone());
        assertEquals(PathName.of(path.toString()), tree.readLink(link, WHAT));
    }

    @Test
    void anotherFileOfTheNameIsLeftAlone() throws Exception {
        var found = tree.status(FILE, WHAT);
        Files.move(path, directory.resolve("moved"));
        Files.createFile(path);
        assertThrows(
                LocalException.class,
                () -> tree.setXattrs(FILE, found, of(Map.of(NAME, new byte[1])), "file"));
        assertThrows(LocalException.class, () -> tree.xattrs(FILE, found, WHAT));
        assertEquals(List.of(), view().list());
    }

    @Test
    void otherSystemsHaveNone() throws Exception {
        try (var memory = Jimfs.newFileSystem(Configuration.unix());
                var other = LocalTree.open(memory.getPath("/"), WHAT)) {
            Files.createFile(memory.getPath("/file"));
            var found = other.status(FILE, WHAT);
            assertEquals(Optional.empty(), other.xattrs(FILE, found, WHAT));
            other.setXattrs(FILE, found, UserXattrs.NONE, "file");
            var refused =
                    assertThrows(
                            LocalException.class,
                            () ->
                                    other.setXattrs(
                                            FILE, found, of(Map.of(NAME, new byte[1])), "file"));
            assertEquals(Reason.UNSUPPORTED, refused.reason());
        }
    }

    @Test
    void attributesAreEqualByTheirBytes() {
        var one = of(Map.of(NAME, new byte[] {1}));
        assertEquals(one, of(Map.of(NAME, new byte[] {1})));
        assertEquals(one.hashCode(), of(Map.of(NAME, new byte[] {1})).hashCode());
        assertNotEquals(one, of(Map.of(NAME, new byte[] {2})));
        assertNotEquals(one, of(Map.of(FileName.of("other"), new byte[] {1})));
        assertNotEquals(one, UserXattrs.NONE);
        assertArrayEquals(new byte[] {1}, one.value(NAME).orElseThrow());
    }
}
