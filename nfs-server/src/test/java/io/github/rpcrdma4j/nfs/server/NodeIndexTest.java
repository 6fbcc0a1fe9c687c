package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Where files are, with less memory than there are files. */
@ParameterizedClass
@EnumSource
class NodeIndexTest {
    private static final int KNOWN_MAX = 30;

    @Parameter Ground.Kind kind;
    private Ground ground;
    private AttributeReader reader;
    private final Map<Path, FileId> files = new HashMap<>();

    /** Folders in folders, with more files in each than are known at a time. */
    @BeforeEach
    void make() throws Exception {
        ground = Ground.of(kind);
        var root = ground.root().toRealPath();
        reader = new AttributeReader(root, 1);
        var folder = root;
        for (int depth = 0; depth < 4; depth++) {
            folder = Files.createDirectory(folder.resolve("folder"));
            files.put(folder, reader.read(folder).id());
            for (int i = 0; i < 2 * KNOWN_MAX; i++) {
                var file = Files.createFile(folder.resolve("file-" + i));
                files.put(file, reader.read(file).id());
            }
        }
    }

    @AfterEach
    void remove() throws Exception {
        ground.close();
    }

    private NodeIndex index(int nodesMax) throws Exception {
        return new NodeIndex(ground.root().toRealPath(), reader, nodesMax);
    }

    @Test
    void findsAllByWalkingOnce() throws Exception {
        var index = index(2 * files.size());
        for (var file : files.entrySet()) {
            assertEquals(Optional.of(file.getKey()), index.path(file.getValue()));
        }
        assertEquals(Optional.empty(), index.path(new FileId(-1, 0)));
        assertEquals(1, index.walks());
    }

    @Test
    void findsAllEvenIfItCannotKnowAll() throws Exception {
        var used = index(KNOWN_MAX);
        for (var file : files.entrySet()) {
            assertEquals(Optional.of(file.getKey()), used.path(file.getValue()));
            assertTrue(used.size() <= KNOWN_MAX);
            // The first walk meets some early, and could forget them until its end.
            assertEquals(Optional.of(file.getKey()), index(KNOWN_MAX).path(file.getValue()));
        }
        assertTrue(used.walks() > 1);
    }

    @Test
    void looksOnlyOnceForWhatIsGone() throws Exception {
        var index = index(KNOWN_MAX);
        for (int i = 0; i < 10; i++) {
            assertEquals(Optional.empty(), index.path(new FileId(-1, 0)));
        }
        assertEquals(1, index.walks());
        // It is back, and somebody found it.
        index.learn(index.rootId(), "back", new FileId(-1, 0));
        assertEquals(
                Optional.of(ground.root().toRealPath().resolve("back")),
                index.path(new FileId(-1, 0)));
    }

    @Test
    void asksNoDiskForWhatWasRemoved() throws Exception {
        var index = index(2 * files.size());
        var file = new FileId(-1, 0);
        index.learn(index.rootId(), "file", file);
        index.forget(index.rootId(), "file", file, true);
        assertEquals(Optional.empty(), index.path(file));
        assertEquals(0, index.walks());
    }

    @Test
    void movesFoldersWithAllThatIsInThem() throws Exception {
        var root = ground.root().toRealPath();
        var index = index(2 * files.size());
        var deep = root.resolve("folder/folder/file-1");
        index.path(files.get(deep));
        var folder = files.get(root.resolve("folder"));
        index.learn(index.rootId(), "moved", folder);
        assertEquals(Optional.of(root.resolve("moved/folder/file-1")), index.path(files.get(deep)));
        index.learn(index.rootId(), "top", files.get(deep));
        assertEquals(Optional.of(root.resolve("top")), index.path(files.get(deep)));
        var next = files.get(root.resolve("folder/folder/file-2"));
        assertEquals(Optional.of(root.resolve("moved/folder/file-2")), index.path(next));
        index.learn(index.rootId(), "again", folder);
        assertEquals(Optional.of(root.resolve("again/folder/file-2")), index.path(next));
        index.learn(index.rootId(), "moved", folder);
        // A folder is never put below itself, whatever a broken file system says.
        index.learn(files.get(root.resolve("folder/folder")), "loop", folder);
        assertEquals(Optional.of(root.resolve("moved")), index.path(folder));
    }
}
