package io.github.rpcrdma4j.nfs.server.v3;

import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.WccData;
import java.util.OptionalInt;

/** Converts between the types of stores and those of NFS version 3. */
public final class StatusTranslation {
    private static final int MODE_MASK = 07777;
    private static final int NO_ID = Caller.NO_ID;
    private static final int NANOS_END = 1_000_000_000;

    private StatusTranslation() {}

    /** Returns the status for a failure. */
    public static Status status(Failure failure) {
        return switch (failure) {
            case PERM -> Status.PERM;
            case NOENT -> Status.NOENT;
            case IO -> Status.IO;
            case NXIO -> Status.NXIO;
            case ACCES, WRONGSEC, MOVED -> Status.ACCES;
            case EXIST -> Status.EXIST;
            case XDEV -> Status.XDEV;
            case NODEV -> Status.NODEV;
            case NOTDIR -> Status.NOTDIR;
            case ISDIR -> Status.ISDIR;
            case INVAL -> Status.INVAL;
            case FBIG -> Status.FBIG;
            case NOSPC -> Status.NOSPC;
            case ROFS -> Status.ROFS;
            case MLINK -> Status.MLINK;
            case NAMETOOLONG -> Status.NAMETOOLONG;
            case NOTEMPTY -> Status.NOTEMPTY;
            case DQUOT -> Status.DQUOT;
            case STALE -> Status.STALE;
            case BADHANDLE -> Status.BADHANDLE;
            case BAD_COOKIE -> Status.BAD_COOKIE;
            case NOT_SYNC -> Status.NOT_SYNC;
            case NOTSUPP -> Status.NOTSUPP;
            case TOOSMALL -> Status.TOOSMALL;
            case BADTYPE -> Status.BADTYPE;
            case AGAIN -> Status.JUKEBOX;
            // Version 3 has no operation on extended attributes.
            case NOXATTR, XATTR2BIG, FAULT -> Status.SERVERFAULT;
        };
    }

    /** Returns the attributes for a status of a file. */
    public static FileAttributes attributes(FileStatus status) {
        return new FileAttributes(
                status.type(),
                status.mode(),
                status.links(),
                status.uid(),
                status.gid(),
                status.size(),
                status.used(),
                Integer.toUnsignedLong(status.major()) << Integer.SIZE
                        | Integer.toUnsignedLong(status.minor()),
                status.fileSystem(),
                status.number(),
                time(status.accessed()),
                time(status.modified()),
                time(status.changed()));
    }

    /** Returns the nearest time that 32 bits of seconds can represent. */
    static Timestamp time(Time time) {
        return Timestamp.of(time.seconds(), time.nanos());
    }

    /**
     * @throws Refusal INVAL if the nanoseconds are a second or more
     */
    static Time time(Timestamp time) throws Refusal {
        if (time.nanos() < 0 || time.nanos() >= NANOS_END) {
            throw new Refusal(Failure.INVAL);
        }
        return new Time(Integer.toUnsignedLong(time.seconds()), time.nanos());
    }

    static WccData wcc(Changed<?> changed) {
        return new WccData(
                changed.before().map(StatusTranslation::attributes).map(WccData.Before::of),
                changed.after().map(StatusTranslation::attributes));
    }

    /**
     * @throws Refusal INVAL for the reserved id of no user or group, or for a malformed time; FBIG
     *     for a size that no file can have
     */
    static AttributeChanges changes(SetAttributes wanted) throws Refusal {
        // Operating systems read this number as "leave the owner unchanged".
        if (wanted.uid().orElse(0) == NO_ID || wanted.gid().orElse(0) == NO_ID) {
            throw new Refusal(Failure.INVAL);
        }
        if (wanted.size().orElse(0) < 0) {
            throw new Refusal(Failure.FBIG);
        }
        return new AttributeChanges(
                wanted.mode().isPresent()
                        ? OptionalInt.of(wanted.mode().getAsInt() & MODE_MASK)
                        : OptionalInt.empty(),
                wanted.uid(),
                wanted.gid(),
                wanted.size(),
                change(wanted.accessed()),
                change(wanted.modified()));
    }

    /**
     * Returns the requested attributes that a new file gets. Only root may choose an owner; the
     * owner in requests of other callers is ignored, as in Linux.
     */
    static AttributeChanges changesOfNew(SetAttributes wanted, Caller caller) throws Refusal {
        return changes(caller.isRoot() ? wanted : wanted.withoutOwner());
    }

    private static AttributeChanges.TimeChange change(SetAttributes.TimeChange change)
            throws Refusal {
        return switch (change) {
            case SetAttributes.TimeChange.Keep() -> new AttributeChanges.TimeChange.Keep();
            case SetAttributes.TimeChange.ToServerTime() -> new AttributeChanges.TimeChange.Now();
            case SetAttributes.TimeChange.To(var time) ->
                    new AttributeChanges.TimeChange.To(time(time));
        };
    }
}
