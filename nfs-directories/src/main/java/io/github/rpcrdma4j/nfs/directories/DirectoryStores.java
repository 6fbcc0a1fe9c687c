package io.github.rpcrdma4j.nfs.directories;

import io.github.rpcrdma4j.nfs.directories.linux.LinuxStores;
import io.github.rpcrdma4j.nfs.directories.nio.NioStore;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;

/**
 * Opens the best available store of each directory of one server. These stores share descriptors
 * and threads. Thread-safe.
 */
public final class DirectoryStores {
    private LinuxStores linux;

    /**
     * Opens a directory.
     *
     * @param root in a {@link java.nio.file.FileSystem} that has file channels
     * @param crossMounts whether some callers see file systems that are mounted below it
     * @param fileSystem the file system id for clients, unless the store knows a better one
     * @throws IOException if this process cannot or must not serve the directory
     */
    public synchronized FileStore open(
            Path root, boolean crossMounts, long fileSystem, WriteVerifier verifier)
            throws IOException {
        boolean ofSystem = root.getFileSystem().equals(FileSystems.getDefault());
        if (!ofSystem || LinuxStores.missing().isPresent()) {
            return NioStore.open(root, fileSystem, verifier);
        }
        if (linux == null) {
            linux = LinuxStores.ofProcess();
        }
        return linux.open(root, crossMounts, fileSystem, verifier);
    }
}
