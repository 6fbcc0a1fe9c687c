package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.UserXattrs;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import java.io.IOException;
import java.util.Optional;

/**
 * The attributes of a local file that its copy may keep.
 *
 * @param acls none if they are not to be kept
 * @param xattrs empty if they are not to be kept
 */
record LocalSource(LocalStatus status, ExtendedAcls acls, Optional<UserXattrs> xattrs) {
    /** Creates those of a file whose extended attributes are not to be kept. */
    LocalSource(LocalStatus status, ExtendedAcls acls) {
        this(status, acls, Optional.empty());
    }

    /** Returns what tells a file of this machine apart from others. */
    static FileIdentity identity(LocalStatus status) {
        return new FileIdentity(new FileSystemId(status.device(), 0), status.inode());
    }

    /**
     * Returns those of an open file.
     *
     * @param status of the file when it was opened
     */
    static LocalSource of(LocalFile file, LocalStatus status, CopyContext context)
            throws IOException {
        return new LocalSource(
                status, acls(file, context.kept()), context.xattrs().of(file::xattrs));
    }

    private static ExtendedAcls acls(LocalFile file, PreservedAttributes kept) throws IOException {
        return kept.attributes() ? file.acls() : ExtendedAcls.NONE;
    }

    /**
     * Returns those of a file that was found under its name.
     *
     * @throws IOException also if another file has the name now, and the lists are to be kept
     */
    static LocalSource of(
            OpenDirectories.Use file, LocalStatus found, CopyContext context, String what)
            throws IOException {
        boolean hasAcls = context.kept().attributes();
        return new LocalSource(
                found,
                hasAcls ? file.in().acls(file.file(), found, what) : ExtendedAcls.NONE,
                context.xattrs().of(() -> file.in().xattrs(file.file(), found, what)));
    }

    /** Returns the same without the extended attributes, if a copy has them already. */
    LocalSource lackedBy(RemoteSource copy) {
        return xattrs.equals(copy.xattrs()) ? new LocalSource(status, acls) : this;
    }

    /** Returns the same for a copy that has this owner, and so no set-ID bits. */
    LocalSource ownedBy(int uid, int gid) {
        return of(Modes.withoutOwner(status.mode()), uid, gid);
    }

    /** Returns the same without what the open file, which has been read, grants no more. */
    LocalSource narrowed(LocalFile file, PreservedAttributes kept) throws IOException {
        var now = new LocalSource(file.status(), acls(file, kept));
        int mode = now.status.mode();
        // A list can change without the mode, and within one step of the change time.
        return grantsNoMoreThan(mode) && now.acls.equals(acls) ? this : narrowed(now, mode);
    }

    /**
     * Returns the same without what its file grants no more.
     *
     * @param now the file after it was read
     * @param granted the mode that the file had at least all the time
     */
    LocalSource narrowed(LocalSource now, int granted) {
        int mode = status.mode() & granted & now.status.mode();
        // Access control lists belong to one mode.
        boolean hasLists = mode == now.status.mode();
        int without = acls.modeWithout(status.mode()) & now.acls.modeWithout(now.status.mode());
        return new LocalSource(
                of(hasLists ? mode : mode & without, status.uid(), status.gid()).status,
                hasLists ? now.acls : ExtendedAcls.NONE,
                xattrs);
    }

    /** Returns whether a file of a mode grants all that this one does. */
    boolean grantsNoMoreThan(int mode) {
        return (status.mode() & ~mode) == 0;
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
                acls,
                xattrs);
    }
}
