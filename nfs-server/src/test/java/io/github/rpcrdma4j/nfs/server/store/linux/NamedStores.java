package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.served.StoreChooser;
import io.github.rpcrdma4j.nfs.server.store.FileStore;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import java.io.IOException;

/** Opens stores of Linux, which tell a test of each new file as soon as it has its name. */
public final class NamedStores implements StoreChooser {
    private final LinuxStores stores;

    public NamedStores(Runnable named) {
        stores =
                new LinuxStores(
                        1024,
                        1024,
                        1024,
                        DataFiles.Force.KERNEL,
                        step -> {
                            if (step == LinuxStores.Step.NAMED) {
                                named.run();
                            }
                        });
    }

    @Override
    public FileStore open(Export export, long fileSystem, WriteVerifier verifier)
            throws IOException {
        return stores.open(export.root(), false, fileSystem, verifier);
    }
}
