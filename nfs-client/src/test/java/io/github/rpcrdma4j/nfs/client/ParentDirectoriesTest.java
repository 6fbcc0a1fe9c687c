package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Goal: endless trees are detected, and directories are reported with their paths. */
class ParentDirectoriesTest {
    private static FileHandle handle(int number) {
        return new FileHandle(ByteBuffer.allocate(4).putInt(number).array());
    }

    @Test
    void tellsPathsFromTheTopOn() {
        var way =
                new ParentDirectories(
                        handle(2), "b", new ParentDirectories(handle(1), "/export/a", null));
        assertEquals("/export/a/b", way.path());
        assertEquals("/export/a/b/c", ParentDirectories.path(way, "c"));
        assertEquals("c", ParentDirectories.path(null, "c"));
    }

    @Test
    void refusesADirectoryInItselfAndATreeWithoutEnd() throws Exception {
        ParentDirectories way = null;
        for (int i = 0; i < ParentDirectories.DEPTH_MAX; i++) {
            ParentDirectories.requireNew(way, handle(i), "/a");
            way = new ParentDirectories(handle(i), "d", way);
        }
        var deepest = way;
        var circle =
                assertThrows(
                        IOException.class,
                        () -> ParentDirectories.requireNew(deepest, handle(77), "/a/b"));
        assertEquals(
                "cannot go into /a/b: the server has this directory in itself",
                circle.getMessage());
        assertThrows(
                IOException.class, () -> ParentDirectories.requireNew(deepest, handle(-1), "/a"));
    }
}
