package io.github.rpcrdma4j.interop.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTreeTest {
    private static final FileState FILE =
            new FileState(
                    FileType.REGULAR,
                    0644,
                    0,
                    0,
                    1,
                    new byte[] {1, 2},
                    0,
                    OptionalLong.of(1_000_000_000L));

    private static FileTree of(FileState state) {
        return new FileTree(Map.of("file", state));
    }

    @Test
    void findsNothingWhereEverythingIsThere() {
        assertEquals(List.of(), of(FILE).differences(of(FILE)));
    }

    @Test
    void reportsFilesThatAreLostOrBack() {
        var nothing = new FileTree(Map.of());
        assertTrue(of(FILE).differences(nothing).getFirst().startsWith("file is lost"));
        assertTrue(nothing.differences(of(FILE)).getFirst().startsWith("file is there again"));
    }

    @Test
    void reportsChangedFiles() {
        for (var other :
                List.of(
                        FILE.withMode(0600),
                        FILE.withOwner(1, 0),
                        FILE.withOwner(0, 1),
                        FILE.withLinks(2),
                        FILE.withContent(new byte[] {1, 3}).withModified(1_000_000_000L),
                        FILE.withModified(2))) {
            assertEquals(1, of(FILE).differences(of(other)).size(), other::toString);
        }
    }

    @Test
    void asksForNoTimeThatIsNotKnown() {
        var unknown = FILE.withContent(FILE.content());
        assertEquals(List.of(), of(unknown).differences(of(FILE)));
    }

    @Test
    void readsLinksAndContents(@TempDir Path directory) throws Exception {
        Files.write(directory.resolve("file"), new byte[] {1, 2});
        Files.createLink(directory.resolve("other"), directory.resolve("file"));
        Files.createSymbolicLink(directory.resolve("link"), Path.of("nowhere"));
        Files.createDirectories(directory.resolve("one/two"));
        var found = FileTree.read(directory).files();
        assertEquals(
                List.of("file", "link", "one", "one/two", "other"), List.copyOf(found.keySet()));
        assertEquals(2, found.get("other").links());
        assertEquals(2, found.get("other").content().length);
        assertEquals("nowhere", new String(found.get("link").content()));
        assertEquals(FileType.DIRECTORY, found.get("one").type());
    }

    @Test
    void keepsAllBitsOfDeviceNumbers() {
        assertEquals(7L << 32 | 200, FileTree.device(7 << 8 | 200));
        assertEquals(0xabcL << 32 | 0x12345, FileTree.device(0x123abc45L));
        assertEquals(0xfffL << 32 | 0xfffff, FileTree.device(0xffffffffL));
    }
}
