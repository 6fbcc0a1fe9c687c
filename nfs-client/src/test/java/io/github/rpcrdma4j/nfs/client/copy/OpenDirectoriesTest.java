package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a directory stays the one that was opened, though few stay open. */
class OpenDirectoriesTest {
    private static final int DEPTH = 6;

    @TempDir private Path directory;

    private static FileName name(int depth) {
        return FileName.of("d" + depth);
    }

    @Test
    void directoriesThatWereClosedAreOpenedAgainIfTheyAreTheSame() throws Exception {
        var path = directory;
        for (int i = 0; i < DEPTH; i++) {
            path = Files.createDirectory(path.resolve("d" + i));
        }
        try (var tree = LocalTree.open(directory, "open");
                var open = new OpenDirectories(tree, 2)) {
            var opened = new ArrayList<OpenDirectories.Directory>();
            var place = open.place(LocalPath.ROOT.child(name(0)));
            for (int i = 0; i < DEPTH; i++) {
                try (var at = place.use("open")) {
                    var found = at.in().status(at.file(), "status");
                    opened.add(open.open(at, found, "open"));
                }
                place = opened.getLast().place(name(i + 1));
            }
            for (int i = 0; i < DEPTH; i++) {
                try (var in = opened.get(i).use("use")) {
                    var expected = i == DEPTH - 1 ? 0 : 1;
                    assertEquals(expected, in.in().list(in.file(), (_, _) -> {}, "list").size());
                }
            }
            // The last two are open, and the others closed.
            Files.move(directory.resolve("d0"), directory.resolve("moved"));
            Files.createDirectories(directory.resolve("d0/d1/d2/d3/d4/d5/theirs"));
            for (int i = 0; i < DEPTH; i++) {
                var each = opened.get(i);
                if (i < DEPTH - 2) {
                    var refused = assertThrows(LocalException.class, () -> each.use("use"));
                    assertEquals("use: another file has taken its place", refused.getMessage());
                } else {
                    try (var in = each.use("use")) {
                        assertEquals(
                                i == DEPTH - 1 ? 0 : 1,
                                in.in().list(in.file(), (_, _) -> {}, "l").size());
                    }
                    each.end();
                }
            }
        }
    }
}
