package io.github.rpcrdma4j.nfs.server.store;

/**
 * Why an operation on a file was not carried out, in the words of the operating system. Every
 * version of NFS has a status for each.
 */
public enum Failure {
    /** The caller does not own the file, and only its owner or a privileged user may do this. */
    PERM,
    /** There is no file of that name. */
    NOENT,
    /** The storage failed. */
    IO,
    /** There is no such device. */
    NXIO,
    /** Permission is denied. */
    ACCES,
    /** There is a file of that name already. */
    EXIST,
    /** Two names are not on one file system. */
    XDEV,
    /** The operation is not possible with this device. */
    NODEV,
    /** The file is not a directory. */
    NOTDIR,
    /** The file is a directory. */
    ISDIR,
    /** An argument makes no sense, or the file is of the wrong type. */
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
    /** A cookie does not belong to the directory. */
    BAD_COOKIE,
    /** The status change time is not the one that was demanded. */
    NOT_SYNC,
    /** The file system, or the server on this machine, cannot do this. */
    NOTSUPP,
    /** The reply does not fit. */
    TOOSMALL,
    /** A file of that type cannot be made so. */
    BADTYPE,
    /** The server lacks something at the moment; the caller is to try again later. */
    AGAIN,
    /** The server made a mistake. */
    FAULT
}
