package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;

/** The statuses of failures of stores. */
public final class Statuses {
    private Statuses() {}

    /** Returns the status that an operation of minor version 0 has in place of a later one. */
    public static Nfs4Status ofVersion0(Opcode opcode, Nfs4Status status) {
        return switch (status) {
            // RFC 7530, Section 16.16.6, calls all special files so.
            case WRONG_TYPE -> opcode == Opcode.OPEN ? Nfs4Status.SYMLINK : Nfs4Status.INVAL;
            case ISDIR -> opcode == Opcode.READLINK ? Nfs4Status.INVAL : status;
            case REP_TOO_BIG, REP_TOO_BIG_TO_CACHE, TOO_MANY_OPS -> Nfs4Status.RESOURCE;
            case DELEG_REVOKED -> Nfs4Status.BAD_STATEID;
            case DEADSESSION -> Nfs4Status.STALE_CLIENTID;
            default -> status;
        };
    }

    public static Nfs4Status of(Failure failure) {
        return switch (failure) {
            case PERM -> Nfs4Status.PERM;
            case NOENT -> Nfs4Status.NOENT;
            case IO, NODEV -> Nfs4Status.IO;
            case NXIO -> Nfs4Status.NXIO;
            case ACCES -> Nfs4Status.ACCESS;
            case EXIST -> Nfs4Status.EXIST;
            case XDEV -> Nfs4Status.XDEV;
            case NOTDIR -> Nfs4Status.NOTDIR;
            case ISDIR -> Nfs4Status.ISDIR;
            case INVAL -> Nfs4Status.INVAL;
            case FBIG -> Nfs4Status.FBIG;
            case NOSPC -> Nfs4Status.NOSPC;
            case ROFS -> Nfs4Status.ROFS;
            case MLINK -> Nfs4Status.MLINK;
            case NAMETOOLONG -> Nfs4Status.NAMETOOLONG;
            case NOTEMPTY -> Nfs4Status.NOTEMPTY;
            case DQUOT -> Nfs4Status.DQUOT;
            case STALE -> Nfs4Status.STALE;
            case BADHANDLE -> Nfs4Status.BADHANDLE;
            case WRONGSEC -> Nfs4Status.WRONGSEC;
            case MOVED -> Nfs4Status.MOVED;
            case BAD_COOKIE -> Nfs4Status.BAD_COOKIE;
            case NOTSUPP -> Nfs4Status.NOTSUPP;
            case NOXATTR -> Nfs4Status.NOXATTR;
            case XATTR2BIG -> Nfs4Status.XATTR2BIG;
            case TOOSMALL -> Nfs4Status.TOOSMALL;
            case BADTYPE -> Nfs4Status.BADTYPE;
            case AGAIN -> Nfs4Status.DELAY;
            // Version 4 has no guards.
            case NOT_SYNC, FAULT -> Nfs4Status.SERVERFAULT;
        };
    }
}
