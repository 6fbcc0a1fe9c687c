package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a change that was made is answered as made, although its directory is removed right behind
 * it. Method: a local process removes the directory as soon as it can.
 */
@Timeout(120)
class RemovedDirectoriesTest {
    private static final int TRIES = 600;

    private static void removeWhenEmpty(Path directory) {
        boolean isThere = true;
        while (isThere) {
            try {
                Files.delete(directory);
                isThere = false;
            } catch (DirectoryNotEmptyException _) {
                Thread.yield();
            } catch (NoSuchFileException _) {
                isThere = false;
            } catch (IOException failed) {
                throw new AssertionError(failed);
            }
        }
    }

    @Test
    void theRemovalOfTheLastFileSucceeds() throws Exception {
        try (var files = TestDirectory.of(TestDirectory.Kind.LOCAL);
                var server = TestServer.of(files)) {
            var root = server.root();
            for (int i = 0; i < TRIES; i++) {
                var path = Files.createDirectory(files.root().resolve("directory" + i));
                Files.createFile(path.resolve("file"));
                var directory = server.lookup(root, "directory" + i);
                var other = CompletableFuture.runAsync(() -> removeWhenEmpty(path));
                var status = server.status(new Nfs3Call.Remove(new DirOpArgs(directory, "file")));
                other.join();
                assertEquals(Status.OK, status, "try " + i);
            }
        }
    }
}
