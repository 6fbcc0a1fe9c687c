package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;

/** Translates error numbers of Linux to failures. */
final class ErrnoFailures {
    private ErrnoFailures() {}

    /**
     * Checks the result of a system call.
     *
     * @return the result, if it is not negative
     */
    static int check(int result) throws StoreException {
        if (result < 0) {
            throw exception(-result);
        }
        return result;
    }

    static StoreException exception(int errno) {
        return new StoreException(of(errno), "errno " + errno);
    }

    /** Returns the failure of an error number. */
    static Failure of(int errno) {
        return switch (errno) {
            case Errno.PERM -> Failure.PERM;
            case Errno.NOENT -> Failure.NOENT;
            case Errno.NXIO -> Failure.NXIO;
            // The process or the machine has too many open descriptors or too little memory.
            case Errno.AGAIN, Errno.NOMEM, Errno.NFILE, Errno.MFILE, Errno.NOLCK -> Failure.AGAIN;
            case Errno.ACCES -> Failure.ACCES;
            // A directory that is in use or has a mount on it cannot be removed.
            case Errno.BUSY -> Failure.ACCES;
            case Errno.EXIST -> Failure.EXIST;
            case Errno.XDEV -> Failure.XDEV;
            case Errno.NODEV -> Failure.NODEV;
            case Errno.NOTDIR -> Failure.NOTDIR;
            case Errno.ISDIR -> Failure.ISDIR;
            case Errno.INVAL, Errno.LOOP -> Failure.INVAL;
            case Errno.TXTBSY -> Failure.ACCES;
            case Errno.FBIG, Errno.OVERFLOW -> Failure.FBIG;
            case Errno.NOSPC -> Failure.NOSPC;
            case Errno.ROFS -> Failure.ROFS;
            case Errno.MLINK -> Failure.MLINK;
            case Errno.NAMETOOLONG -> Failure.NAMETOOLONG;
            case Errno.NOSYS, Errno.OPNOTSUPP, Errno.NOTTY -> Failure.NOTSUPP;
            case Errno.NODATA -> Failure.NOXATTR;
            case Errno.TOO_BIG, Errno.RANGE -> Failure.XATTR2BIG;
            case Errno.NOTEMPTY -> Failure.NOTEMPTY;
            case Errno.STALE -> Failure.STALE;
            case Errno.DQUOT -> Failure.DQUOT;
            default -> Failure.IO;
        };
    }

    /**
     * Returns whether a call failed for lack of descriptors, so that it may succeed after some are
     * closed.
     */
    static boolean isOutOfDescriptors(int result) {
        return result == -Errno.MFILE || result == -Errno.NFILE;
    }
}
