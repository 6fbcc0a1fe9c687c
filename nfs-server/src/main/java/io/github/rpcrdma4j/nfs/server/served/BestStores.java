package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.directory.DirectoryStores;
import java.io.IOException;

/** Opens the best available store for each export of one server. */
public final class BestStores implements StoreChooser {
    private final DirectoryStores directories = new DirectoryStores();

    @Override
    public FileStore open(Export export, long fileSystem, WriteVerifier verifier)
            throws IOException {
        boolean crosses = export.rules().stream().anyMatch(ExportRule::crossMounts);
        return directories.open(export.root(), crosses, fileSystem, verifier);
    }
}
