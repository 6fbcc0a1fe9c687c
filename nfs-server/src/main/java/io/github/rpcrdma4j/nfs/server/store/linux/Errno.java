package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.StoreException;

/** Error numbers of Linux; system calls give them as negative results. */
final class Errno {
    static final int PERM = 1;
    static final int NOENT = 2;
    static final int INTR = 4;
    static final int IO = 5;
    static final int NXIO = 6;
    static final int AGAIN = 11;
    static final int NOMEM = 12;
    static final int ACCES = 13;
    static final int BUSY = 16;
    static final int EXIST = 17;
    static final int XDEV = 18;
    static final int NODEV = 19;
    static final int NOTDIR = 20;
    static final int ISDIR = 21;
    static final int INVAL = 22;
    static final int NFILE = 23;
    static final int MFILE = 24;
    static final int TXTBSY = 26;
    static final int FBIG = 27;
    static final int NOSPC = 28;
    static final int ROFS = 30;
    static final int MLINK = 31;
    static final int NAMETOOLONG = 36;
    static final int NOSYS = 38;
    static final int NOTEMPTY = 39;
    static final int LOOP = 40;
    static final int OVERFLOW = 75;
    static final int OPNOTSUPP = 95;
    static final int STALE = 116;
    static final int DQUOT = 122;

    private Errno() {}

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
        return new StoreException(failure(errno), "errno " + errno);
    }

    /** What an error number means to a caller. */
    static Failure failure(int errno) {
        return switch (errno) {
            case PERM -> Failure.PERM;
            case NOENT -> Failure.NOENT;
            case NXIO -> Failure.NXIO;
            // The process, or the machine, has too many descriptors or too little memory.
            case AGAIN, NOMEM, NFILE, MFILE -> Failure.AGAIN;
            case ACCES -> Failure.ACCES;
            // A directory that something is mounted on, or that is in use, is not removed.
            case BUSY -> Failure.ACCES;
            case EXIST -> Failure.EXIST;
            case XDEV -> Failure.XDEV;
            case NODEV -> Failure.NODEV;
            case NOTDIR -> Failure.NOTDIR;
            case ISDIR -> Failure.ISDIR;
            case INVAL, LOOP -> Failure.INVAL;
            case TXTBSY -> Failure.ACCES;
            case FBIG, OVERFLOW -> Failure.FBIG;
            case NOSPC -> Failure.NOSPC;
            case ROFS -> Failure.ROFS;
            case MLINK -> Failure.MLINK;
            case NAMETOOLONG -> Failure.NAMETOOLONG;
            case NOSYS, OPNOTSUPP -> Failure.NOTSUPP;
            case NOTEMPTY -> Failure.NOTEMPTY;
            case STALE -> Failure.STALE;
            case DQUOT -> Failure.DQUOT;
            default -> Failure.IO;
        };
    }

    /** Whether a call could have been carried out if fewer descriptors were open. */
    static boolean isForTooMany(int result) {
        return result == -MFILE || result == -NFILE;
    }
}
