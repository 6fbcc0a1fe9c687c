package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * Tells the files of one server apart, or those of this machine: all names of a file have one.
 * Immutable.
 *
 * @param fileSystem the number of the file system, or of the device
 * @param file the number of the file in it
 */
public record FileIdentity(long fileSystem, long file) {
    /** Returns the identity of a file with these attributes. */
    public static FileIdentity of(FileAttributes attributes) {
        return new FileIdentity(attributes.fileSystemId(), attributes.fileId());
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(fileSystem, file);
    }
}
