package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import java.io.IOException;

/**
 * The attributes of a local file that its copy may keep.
 *
 * @param acls none if they are not to be kept
 */
record LocalSource(LocalStatus status, ExtendedAcls acls) {
    /**
     * Returns those of an open file.
     *
     * @param status of the file when it was opened
     */
    static LocalSource of(LocalFile file, LocalStatus status, PreservedAttributes kept)
            throws IOException {
        return new LocalSource(status, kept.attributes() ? file.acls() : ExtendedAcls.NONE);
    }
}
