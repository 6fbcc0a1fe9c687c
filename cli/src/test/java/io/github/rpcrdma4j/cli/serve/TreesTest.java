package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a demonstration notices each file and each link that its copy does not have. */
class TreesTest {
    @TempDir private Path directory;

    private Path tree(String name, String content, String target) throws IOException {
        var tree = Files.createDirectory(directory.resolve(name));
        Files.writeString(tree.resolve("file"), content);
        Files.createSymbolicLink(tree.resolve("link"), Path.of(target));
        return tree;
    }

    @Test
    void comparesFilesAndLinks() throws Exception {
        var original = tree("original", "a", "file");
        assertEquals(2, Trees.requireSameTree(original, tree("same", "a", "file"), _ -> true));
        for (var differing : new Path[] {tree("b", "b", "file"), tree("c", "a", "nowhere")}) {
            assertThrows(
                    IOException.class, () -> Trees.requireSameTree(original, differing, _ -> true));
        }
    }
}
