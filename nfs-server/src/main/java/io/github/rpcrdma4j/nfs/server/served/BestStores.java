package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.store.FileStore;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.server.store.linux.LinuxStores;
import io.github.rpcrdma4j.nfs.server.store.nio.NioStore;
import java.io.IOException;
import java.nio.file.FileSystems;

/** Opens the best available store for each export of one server. */
public final class BestStores implements StoreChooser {
    private LinuxStores linux;

    @Override
    public synchronized FileStore open(Export export, long fileSystem, WriteVerifier verifier)
            throws IOException {
        boolean ofSystem = export.root().getFileSystem().equals(FileSystems.getDefault());
        if (!ofSystem || LinuxStores.missing().isPresent()) {
            return NioStore.open(export.root(), fileSystem, verifier);
        }
        if (linux == null) {
            linux = LinuxStores.ofProcess();
        }
        boolean crosses = export.rules().stream().anyMatch(ExportRule::crossMounts);
        return linux.open(export.root(), crosses, fileSystem, verifier);
    }
}
