package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;

/**
 * The attributes of a file of the server that its copy may keep.
 *
 * @param acls none if they are not to be kept
 */
record RemoteSource(FileAttributes attributes, ExtendedAcls acls) {
    /** Returns the same for a copy on the server. */
    LocalSource asLocal() {
        return new LocalSource(RemoteFiles.status(attributes), acls);
    }
}
