package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The attributes to change and their new values: {@code sattr3} (RFC 1813, Section 2.6). */
public record SetAttributes(
        OptionalInt mode,
        OptionalInt uid,
        OptionalInt gid,
        OptionalLong size,
        TimeChange accessed,
        TimeChange modified) {
    /** Changes nothing. */
    public static final SetAttributes NONE =
            new SetAttributes(
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalLong.empty(),
                    new TimeChange.Keep(),
                    new TimeChange.Keep());

    /** The change of a time. */
    public sealed interface TimeChange {
        /** The time stays. */
        record Keep() implements TimeChange {}

        /** The time becomes that of the clock of the server. */
        record ToServerTime() implements TimeChange {}

        /** The time becomes this one. */
        record To(Timestamp time) implements TimeChange {}
    }

    /** Returns a change of the permission bits alone. */
    public static SetAttributes ofMode(int mode) {
        return NONE.withMode(mode);
    }

    /** Returns a change of the size alone, in bytes. */
    public static SetAttributes ofSize(long size) {
        return NONE.withSize(size);
    }

    /** Returns these changes with other permission bits. */
    public SetAttributes withMode(int other) {
        return new SetAttributes(OptionalInt.of(other), uid, gid, size, accessed, modified);
    }

    /** Returns these changes with another user and group. */
    public SetAttributes withOwner(OptionalInt user, OptionalInt group) {
        return new SetAttributes(mode, user, group, size, accessed, modified);
    }

    /** Returns these changes with another size, in bytes. */
    public SetAttributes withSize(long other) {
        return new SetAttributes(mode, uid, gid, OptionalLong.of(other), accessed, modified);
    }

    /** Returns these changes with other changes of the times. */
    public SetAttributes withTimes(TimeChange access, TimeChange modification) {
        return new SetAttributes(mode, uid, gid, size, access, modification);
    }

    /** Returns these changes without those of the user and the group. */
    public SetAttributes withoutOwner() {
        return new SetAttributes(mode, NONE.uid, NONE.gid, size, accessed, modified);
    }

    static SetAttributes decode(XdrReader in) throws XdrException {
        return new SetAttributes(
                optionalInt(in),
                optionalInt(in),
                optionalInt(in),
                in.bool() ? OptionalLong.of(in.uint64()) : OptionalLong.empty(),
                time(in),
                time(in));
    }

    private static OptionalInt optionalInt(XdrReader in) throws XdrException {
        return in.bool() ? OptionalInt.of(in.uint32()) : OptionalInt.empty();
    }

    private static TimeChange time(XdrReader in) throws XdrException {
        int how = in.uint32();
        return switch (how) {
            case 0 -> new TimeChange.Keep();
            case 1 -> new TimeChange.ToServerTime();
            case 2 -> new TimeChange.To(Timestamp.decode(in));
            default -> throw new XdrException("unknown time_how " + Integer.toUnsignedString(how));
        };
    }

    XdrWriter encode(XdrWriter out) {
        put(out, mode);
        put(out, uid);
        put(out, gid);
        out.bool(size.isPresent());
        if (size.isPresent()) {
            out.uint64(size.getAsLong());
        }
        put(out, accessed);
        put(out, modified);
        return out;
    }

    private static void put(XdrWriter out, OptionalInt value) {
        out.bool(value.isPresent());
        if (value.isPresent()) {
            out.uint32(value.getAsInt());
        }
    }

    private static void put(XdrWriter out, TimeChange change) {
        switch (change) {
            case TimeChange.Keep() -> out.uint32(0);
            case TimeChange.ToServerTime() -> out.uint32(1);
            case TimeChange.To(var time) -> time.encode(out.uint32(2));
        }
    }
}
