package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.directories.DirectoryStores;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportedFiles;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;

/**
 * Opens the {@link FileStore} by which the server reaches the files of an export: the one that the
 * export brings, or the best one that works for its directory.
 */
public final class BestStores implements StoreChooser {
    private final DirectoryStores directories = new DirectoryStores();

    @Override
    public FileStore open(Export export, long fileSystem, WriteVerifier verifier)
            throws IOException {
        boolean crosses = export.rules().stream().anyMatch(ExportRule::crossMounts);
        return switch (export.files()) {
            case ExportedFiles.OfDirectory(var root) ->
                    directories.open(root, crosses, fileSystem, verifier);
            case ExportedFiles.OfStore(var opener) -> opener.open(fileSystem, verifier);
        };
    }
}
