package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Goal: endless trees are detected, and directories are reported with their paths. */
class ParentDirectoriesTest {
    private static FileHandle handle(int number) {
        return new FileHandle(ByteBuffer.allocate(4).putInt(number).array());
    }

    @Test
    void returnsPathsFromTheTop() {
        var parents =
                new ParentDirectories(
                        handle(2), "b", new ParentDirectories(handle(1), "/export/a", null));
        assertEquals("/export/a/b", parents.path());
        assertEquals("/export/a/b/c", ParentDirectories.path(parents, "c"));
        assertEquals("c", ParentDirectories.path(null, "c"));
        var root = new ParentDirectories(handle(3), "/", null);
        assertEquals("/", root.path());
        assertEquals("/data", ParentDirectories.path(root, "data"));
    }

    @Test
    void refusesADirectoryInItselfAndATreeWithoutEnd() throws Exception {
        ParentDirectories parents = null;
        for (int i = 0; i < ParentDirectories.DEPTH_MAX; i++) {
            ParentDirectories.requireNoCycle(parents, handle(i), "/a");
            parents = new ParentDirectories(handle(i), "d", parents);
        }
        var deepest = parents;
        var circle =
                assertThrows(
                        IOException.class,
                        () -> ParentDirectories.requireNoCycle(deepest, handle(77), "/a/b"));
        assertEquals(
                "cannot go into /a/b: this directory contains itself on the server",
                circle.getMessage());
        assertThrows(
                IOException.class,
                () -> ParentDirectories.requireNoCycle(deepest, handle(-1), "/a"));
    }
}
