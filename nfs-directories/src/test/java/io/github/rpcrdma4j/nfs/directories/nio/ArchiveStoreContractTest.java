package io.github.rpcrdma4j.nfs.directories.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.ReadOnlyStoreContract;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of stores that cannot be changed, on {@link NioStore} with zip files of the JDK. */
class ArchiveStoreContractTest {
    /** An open zip file. */
    record Archive(FileSystem files) implements Closeable {
        @Override
        public void close() throws IOException {
            files.close();
        }
    }

    private abstract static class InArchive extends ReadOnlyStoreContract<Archive> {
        private final Map<String, String> options;

        @TempDir private Path directory;

        InArchive(Map<String, String> options) {
            this.options = options;
        }

        @Override
        protected Archive makePlace() throws IOException {
            var uri = URI.create("jar:" + directory.resolve("archive.zip").toUri());
            try (var made = FileSystems.newFileSystem(uri, Map.of("create", "true"))) {
                Files.createDirectory(made.getPath("/directory"));
                Files.writeString(made.getPath("/directory/file"), "hello");
            }
            return new Archive(FileSystems.newFileSystem(uri, options));
        }

        @Override
        protected FileStore open(Archive place, WriteVerifier verifier) throws IOException {
            return NioStore.open(place.files().getPath("/"), 1, verifier);
        }

        @Test
        void nobodyMayWriteAndNothingIsToBeCommitted() throws Exception {
            var file = lookup(lookup(root(), "directory").id(), "file").id();
            int granted = at(file, n -> n.access(caller(), Node.READ | Node.WRITE));
            assertEquals(Node.READ, granted);
            assertEquals(verifier.now(), at(file, n -> n.commit(caller(), Storage.SYNC)).value());
        }
    }

    @Nested
    class OpenedForReading extends InArchive {
        OpenedForReading() {
            super(Map.of("accessMode", "readOnly"));
        }
    }

    /** A change would be seen when its channel is closed, not when it is made. */
    @Nested
    class OpenedForWriting extends InArchive {
        OpenedForWriting() {
            super(Map.of());
        }
    }
}
