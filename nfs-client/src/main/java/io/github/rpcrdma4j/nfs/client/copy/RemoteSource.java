package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.UserXattrs;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import java.util.Optional;

/**
 * The attributes of a file of the server that its copy may keep.
 *
 * @param acls none if they are not to be kept
 * @param xattrs empty if they are not to be kept
 */
record RemoteSource(FileAttributes attributes, ExtendedAcls acls, Optional<UserXattrs> xattrs) {
    private static final int PERMISSION_MASK = 07777;

    /** Creates those of a file whose extended attributes are not to be kept. */
    RemoteSource(FileAttributes attributes, ExtendedAcls acls) {
        this(attributes, acls, Optional.empty());
    }

    /** Returns the same for a copy on the server. */
    LocalSource asLocal() {
        return new LocalSource(status(attributes), acls, xattrs);
    }

    /**
     * Returns the same without what its file grants no more.
     *
     * @param now the file after it was read
     * @param granted the mode that the file had at least all the time
     */
    RemoteSource narrowed(RemoteSource now, int granted) {
        var narrower = asLocal().narrowed(now.asLocal(), granted);
        return new RemoteSource(
                attributes.withMode(narrower.status().mode()), narrower.acls(), xattrs);
    }

    /** Returns attributes of a file of the server in the form of a local one. */
    static LocalStatus status(FileAttributes file) {
        return new LocalStatus(
                file.type(),
                file.mode() & PERMISSION_MASK,
                Integer.toUnsignedLong(file.links()),
                file.uid(),
                file.gid(),
                file.size(),
                file.used(),
                file.deviceMajor(),
                file.deviceMinor(),
                file.fileSystem().major(),
                file.fileId(),
                file.accessed(),
                file.modified(),
                file.changed());
    }
}
