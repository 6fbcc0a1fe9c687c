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

    /**
     * Returns those of a file that was found under its name.
     *
     * @throws IOException also if another file has the name now, and the lists are to be kept
     */
    static LocalSource of(
            OpenDirectories.Use file, LocalStatus found, PreservedAttributes kept, String what)
            throws IOException {
        return new LocalSource(
                found,
                kept.attributes() ? file.in().acls(file.file(), found, what) : ExtendedAcls.NONE);
    }

    /** Returns the same for a copy that has this owner, and so no set-ID bits. */
    LocalSource ownedBy(int uid, int gid) {
        return of(Modes.withoutOwner(status.mode()), uid, gid);
    }

    /** Returns the same with another mode. */
    LocalSource withMode(int mode) {
        return of(mode, status.uid(), status.gid());
    }

    private LocalSource of(int mode, int uid, int gid) {
        return new LocalSource(
                new LocalStatus(
                        status.type(),
                        mode,
                        status.links(),
                        uid,
                        gid,
                        status.size(),
                        status.used(),
                        status.major(),
                        status.minor(),
                        status.device(),
                        status.inode(),
                        status.accessed(),
                        status.modified(),
                        status.changed()),
                acls);
    }
}
