package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.UnixPaths;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a store serves the directory of its path's bytes, and no other. */
class RootNamesTest {
    private static final Caller SERVER = new Caller.Server();
    private static final FileName MARKER = FileName.of("marker");

    @TempDir private Path directory;

    /** Makes a directory whose name is in Latin-1, and so is no UTF-8. */
    private Path latin() {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        try {
            var name = UnixPaths.path("caf\u00e9".getBytes(StandardCharsets.ISO_8859_1));
            return Files.createDirectory(directory.resolve(name));
        } catch (IOException | InvalidPathException impossible) {
            assumeTrue(false, "this file system has names in UTF-8 only");
            throw new AssertionError(impossible);
        }
    }

    private static void lookUpMarker(Path root, boolean crosses) throws Exception {
        try (var store = LinuxStores.ofProcess().open(root, crosses, 1, new WriteVerifier());
                var top = store.node(store.root(), Mounts.STAY)) {
            top.lookup(SERVER, MARKER);
        }
    }

    @Test
    void openADirectoryWhoseNameIsNotText() throws Exception {
        var root = latin();
        Files.createFile(root.resolve("marker"));
        lookUpMarker(root, false);
        lookUpMarker(root, true);
    }

    @Test
    void doNotOpenTheDirectoryOfTheDecodedName() throws Exception {
        var root = latin();
        var decoded = UnixPaths.path("caf\ufffd".getBytes(StandardCharsets.UTF_8));
        Files.createFile(Files.createDirectory(directory.resolve(decoded)).resolve("marker"));
        for (boolean crosses : new boolean[] {false, true}) {
            var absent = assertThrows(StoreException.class, () -> lookUpMarker(root, crosses));
            assertEquals(Failure.NOENT, absent.failure());
        }
    }
}
