package io.github.rpcrdma4j.nfs.store;

/**
 * The reason why an operation on a file failed, named as in the operating system. Every version of
 * NFS has a status for each.
 */
public enum Failure {
    /** Only the owner of the file or a privileged user may do this. */
    PERM,
    /** No file of that name exists. */
    NOENT,
    /** The storage failed. */
    IO,
    /** The device does not exist. */
    NXIO,
    /** Permission is denied. */
    ACCES,
    /** A file of that name exists already. */
    EXIST,
    /** The two names are on different file systems. */
    XDEV,
    /** The operation is not possible with this device. */
    NODEV,
    /** The file is not a directory. */
    NOTDIR,
    /** The file is a directory. */
    ISDIR,
    /** An argument is invalid, or the file has the wrong type. */
    INVAL,
    /** The file would become too large. */
    FBIG,
    /** No space is left. */
    NOSPC,
    /** The file system is read-only. */
    ROFS,
    /** The file has too many names. */
    MLINK,
    /** A name is too long. */
    NAMETOOLONG,
    /** The directory is not empty. */
    NOTEMPTY,
    /** The caller has used up its quota. */
    DQUOT,
    /** The file is gone. */
    STALE,
    /** This server did not make the handle of the file. */
    BADHANDLE,
    /** The export does not accept the security flavor of the call. */
    WRONGSEC,
    /** The file system is at another server. */
    MOVED,
    /** A cookie does not belong to the directory. */
    BAD_COOKIE,
    /** The change time of the file differs from the guard of the call. */
    NOT_SYNC,
    /** The file system, or the server on this machine, cannot do this. */
    NOTSUPP,
    /** The reply does not fit. */
    TOOSMALL,
    /** The operation cannot create a file of that type. */
    BADTYPE,
    /** The file has no extended attribute of that name. */
    NOXATTR,
    /** The value of an extended attribute is too large. */
    XATTR2BIG,
    /** The server lacks a resource at the moment; the caller should retry later. */
    AGAIN,
    /** The server had an internal error. */
    FAULT;

    /**
     * Ends an operation with this failure, unless something holds.
     *
     * @throws StoreException if it does not hold
     */
    public void unless(boolean holds) throws StoreException {
        if (!holds) {
            throw new StoreException(this);
        }
    }
}
