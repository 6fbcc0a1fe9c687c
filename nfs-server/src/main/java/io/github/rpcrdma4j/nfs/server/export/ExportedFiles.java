package io.github.rpcrdma4j.nfs.server.export;

import io.github.rpcrdma4j.nfs.store.StoreOpener;
import java.nio.file.Path;

/** Where the files of an export are: in a directory, or in a store of the program. */
public sealed interface ExportedFiles {
    /**
     * The files below a directory.
     *
     * @param root the directory, in a {@link java.nio.file.FileSystem} that has file channels; a
     *     zip file is served read-only
     */
    record OfDirectory(Path root) implements ExportedFiles {
        @Override
        public String toString() {
            return root.toString();
        }
    }

    /**
     * The files of a store that the program brings.
     *
     * @param opener opens it when the server starts to serve the export
     */
    record OfStore(StoreOpener opener) implements ExportedFiles {
        @Override
        public String toString() {
            return opener.toString();
        }
    }
}
