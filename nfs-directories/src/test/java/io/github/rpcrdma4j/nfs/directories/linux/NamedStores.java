package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.nio.file.Path;

/** Opens stores of Linux, which tell a test of each new file as soon as it has its name. */
public final class NamedStores {
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

    /** Opens a directory. */
    public FileStore open(Path root, long fileSystem, WriteVerifier verifier) throws IOException {
        return stores.open(root, false, fileSystem, verifier);
    }
}
