package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The attributes that a client sets, and their new values (RFC 8881, Section 18.30; RFC 8275 for
 * the umask; RFC 9754 for delegated times). In the order of their numbers, the values are:
 *
 * <pre>
 *   size(64) | acl: aces | mode(32) | owner | owner_group | time_access_set: settime4
 *   | time_create: nfstime4 | time_modify_set: settime4 | mode_umask: mode(32) umask(32)
 *   | time_deleg_access: nfstime4 | time_deleg_modify: nfstime4
 * </pre>
 *
 * @param size in bytes, unsigned
 * @param mode permissions, with set-user-ID, set-group-ID and sticky: 12 bits
 * @param umask with {@code mode}: what a default ACL of the directory takes the place of
 */
public record SetAttributes(
        OptionalLong size,
        Optional<List<Ace>> acl,
        OptionalInt mode,
        OptionalInt umask,
        Optional<Who> owner,
        Optional<Who> group,
        TimeChange accessed,
        TimeChange modified) {
    /** The attributes that this can set. A server that takes them all supports them all. */
    public static final AttributeSet ATTRIBUTES =
            AttributeSet.of(
                    Attribute.SIZE,
                    Attribute.ACL,
                    Attribute.MODE,
                    Attribute.OWNER,
                    Attribute.OWNER_GROUP,
                    Attribute.TIME_ACCESS_SET,
                    Attribute.TIME_MODIFY_SET,
                    Attribute.MODE_UMASK,
                    Attribute.TIME_DELEG_ACCESS,
                    Attribute.TIME_DELEG_MODIFY);

    /**
     * What a client may name. A time of creation is read and does not count: no file system of
     * Linux lets it be set, and a client that copies a file with it is to get the rest.
     */
    private static final AttributeSet READ = ATTRIBUTES.with(Attribute.TIME_CREATE);

    /** Changes nothing. */
    public static final SetAttributes NONE =
            new SetAttributes(
                    OptionalLong.empty(),
                    Optional.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    new TimeChange.Keep(),
                    new TimeChange.Keep());

    private static final int MODE_BITS = 07777;
    private static final int UMASK_BITS = 0777;

    /** {@code time_how4}. */
    private static final int TO_SERVER_TIME = 0;

    private static final int TO_CLIENT_TIME = 1;

    /**
     * @throws IllegalArgumentException if there is a umask without a mode
     */
    public SetAttributes {
        acl = acl.map(List::copyOf);
        if (umask.isPresent() && mode.isEmpty()) {
            throw new IllegalArgumentException("a umask comes with a mode");
        }
    }

    /** The change of a time: {@code settime4}. */
    public sealed interface TimeChange {
        /** The time stays. */
        record Keep() implements TimeChange {}

        /** The time becomes that of the clock of the server. */
        record ToServerTime() implements TimeChange {}

        /** The time becomes this one. */
        record To(Timestamp time) implements TimeChange {}

        /** The client has kept the time under its delegation (RFC 9754, Section 5). */
        record Delegated(Timestamp time) implements TimeChange {}
    }

    /** What a server makes of attributes to set. */
    public sealed interface Decoded {
        /** The values are well-formed. */
        record Accepted(SetAttributes changes) implements Decoded {}

        /** The operation fails with this status. */
        record Refused(Nfs4Status status) implements Decoded {}
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
        return new SetAttributes(
                size, acl, OptionalInt.of(other), umask, owner, group, accessed, modified);
    }

    /** Returns these changes with other permission bits and a umask (RFC 8275). */
    public SetAttributes withMode(int other, int mask) {
        var bits = OptionalInt.of(other);
        return new SetAttributes(
                size, acl, bits, OptionalInt.of(mask), owner, group, accessed, modified);
    }

    /** Returns these changes with another size, in bytes. */
    public SetAttributes withSize(long other) {
        return new SetAttributes(
                OptionalLong.of(other), acl, mode, umask, owner, group, accessed, modified);
    }

    /** Returns these changes with another access control list. */
    public SetAttributes withAcl(List<Ace> other) {
        return new SetAttributes(
                size, Optional.of(other), mode, umask, owner, group, accessed, modified);
    }

    /** Returns these changes with another user and group. */
    public SetAttributes withOwner(Optional<Who> user, Optional<Who> itsGroup) {
        return new SetAttributes(size, acl, mode, umask, user, itsGroup, accessed, modified);
    }

    /** Returns these changes with other changes of the times. */
    public SetAttributes withTimes(TimeChange access, TimeChange modification) {
        return new SetAttributes(size, acl, mode, umask, owner, group, access, modification);
    }

    /** Returns the attributes that this sets. */
    public AttributeSet attributes() {
        var set = AttributeSet.NONE;
        set = size.isPresent() ? set.with(Attribute.SIZE) : set;
        set = acl.isPresent() ? set.with(Attribute.ACL) : set;
        if (mode.isPresent()) {
            set = set.with(umask.isPresent() ? Attribute.MODE_UMASK : Attribute.MODE);
        }
        set = owner.isPresent() ? set.with(Attribute.OWNER) : set;
        set = group.isPresent() ? set.with(Attribute.OWNER_GROUP) : set;
        set = with(set, accessed, Attribute.TIME_ACCESS_SET, Attribute.TIME_DELEG_ACCESS);
        return with(set, modified, Attribute.TIME_MODIFY_SET, Attribute.TIME_DELEG_MODIFY);
    }

    private static AttributeSet with(
            AttributeSet set, TimeChange change, Attribute usual, Attribute delegated) {
        return switch (change) {
            case TimeChange.Keep() -> set;
            case TimeChange.ToServerTime(), TimeChange.To _ -> set.with(usual);
            case TimeChange.Delegated _ -> set.with(delegated);
        };
    }

    /**
     * Reads what a client wants to set.
     *
     * @param supported the attributes that the server supports in the minor version of the call
     * @param allowed the attributes that the operation may set: {@link AttributeSet#SETTABLE}, or
     *     the value of SUPPATTR_EXCLCREAT for an exclusive creation
     * @return refused with ATTRNOTSUPP if the server does not support one; with INVAL if one cannot
     *     be set here, if both mode and mode_umask are (RFC 8275, Section 5), or a time twice, or
     *     if a value is not possible or not UTF-8; with BADXDR if the bytes do not fit the bitmap
     */
    public static Decoded decode(
            EncodedAttributes encoded, AttributeSet supported, AttributeSet allowed) {
        var attributes = encoded.attributes();
        if (!supported.hasAll(attributes)) {
            return new Decoded.Refused(Nfs4Status.ATTRNOTSUPP);
        }
        if (!allowed.and(READ).hasAll(attributes)
                || hasBoth(attributes, Attribute.MODE, Attribute.MODE_UMASK)
                || hasBoth(attributes, Attribute.TIME_ACCESS_SET, Attribute.TIME_DELEG_ACCESS)
                || hasBoth(attributes, Attribute.TIME_MODIFY_SET, Attribute.TIME_DELEG_MODIFY)) {
            return new Decoded.Refused(Nfs4Status.INVAL);
        }
        try {
            var in = encoded.reader();
            var changes = values(attributes, in);
            in.finish();
            return changes.isPossible()
                    ? new Decoded.Accepted(changes)
                    : new Decoded.Refused(Nfs4Status.INVAL);
        } catch (XdrException _) {
            return new Decoded.Refused(Nfs4Status.BADXDR);
        }
    }

    private static boolean hasBoth(AttributeSet attributes, Attribute one, Attribute other) {
        return attributes.has(one) && attributes.has(other);
    }

    private static SetAttributes values(AttributeSet attributes, XdrReader in) throws XdrException {
        var changes = NONE;
        var numbers = attributes.numbers();
        for (int i = numbers.next(0); i >= 0; i = numbers.next(i + 1)) {
            changes =
                    switch (Attribute.known(i)) {
                        case SIZE -> changes.withSize(in.uint64());
                        case ACL -> changes.withAcl(Ace.decodeAll(in));
                        case MODE -> changes.withMode(in.uint32());
                        case OWNER -> changes.withOwner(Optional.of(Who.decode(in)), changes.group);
                        case OWNER_GROUP ->
                                changes.withOwner(changes.owner, Optional.of(Who.decode(in)));
                        case TIME_ACCESS_SET -> changes.withTimes(time(in), changes.modified);
                        case TIME_CREATE -> withoutCreation(changes, in);
                        case TIME_MODIFY_SET -> changes.withTimes(changes.accessed, time(in));
                        case MODE_UMASK -> changes.withMode(in.uint32(), in.uint32());
                        case TIME_DELEG_ACCESS ->
                                changes.withTimes(delegatedTime(in), changes.modified);
                        case TIME_DELEG_MODIFY ->
                                changes.withTimes(changes.accessed, delegatedTime(in));
                        default -> throw new IllegalStateException("attribute " + i);
                    };
        }
        return changes;
    }

    private static TimeChange time(XdrReader in) throws XdrException {
        int how = in.uint32();
        return switch (how) {
            case TO_SERVER_TIME -> new TimeChange.ToServerTime();
            case TO_CLIENT_TIME -> new TimeChange.To(Timestamp.decode(in));
            default -> throw new XdrException("unknown time_how4 " + Integer.toUnsignedString(how));
        };
    }

    private static SetAttributes withoutCreation(SetAttributes changes, XdrReader in)
            throws XdrException {
        Timestamp.decode(in);
        return changes;
    }

    private static TimeChange delegatedTime(XdrReader in) throws XdrException {
        return new TimeChange.Delegated(Timestamp.decode(in));
    }

    private boolean isPossible() {
        return (mode.orElse(0) & ~MODE_BITS) == 0
                && (umask.orElse(0) & ~UMASK_BITS) == 0
                && isPossible(accessed)
                && isPossible(modified)
                && owner.map(Who::isUtf8).orElse(true)
                && group.map(Who::isUtf8).orElse(true)
                && acl.orElse(List.of()).stream().allMatch(each -> each.who().isUtf8());
    }

    private static boolean isPossible(TimeChange change) {
        return switch (change) {
            case TimeChange.Keep(), TimeChange.ToServerTime() -> true;
            case TimeChange.To(var time) -> time.isValid();
            case TimeChange.Delegated(var time) -> time.isValid();
        };
    }

    /**
     * Returns the attributes as they travel.
     *
     * @param pool lends memory for the time of the call
     */
    public EncodedAttributes encoded(SegmentPool pool) {
        try (var out = new XdrWriter(pool)) {
            size.ifPresent(out::uint64);
            acl.ifPresent(list -> Ace.encodeAll(out, list));
            if (umask.isEmpty()) {
                mode.ifPresent(out::uint32);
            }
            owner.ifPresent(who -> who.encode(out));
            group.ifPresent(who -> who.encode(out));
            put(out, accessed);
            put(out, modified);
            if (umask.isPresent()) {
                out.uint32(mode.orElseThrow()).uint32(umask.getAsInt());
            }
            putDelegated(out, accessed);
            putDelegated(out, modified);
            byte[] values = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            return EncodedAttributes.of(attributes(), values);
        }
    }

    private static void put(XdrWriter out, TimeChange change) {
        switch (change) {
            case TimeChange.Keep(), TimeChange.Delegated _ -> {}
            case TimeChange.ToServerTime() -> out.uint32(TO_SERVER_TIME);
            case TimeChange.To(var time) -> time.encode(out.uint32(TO_CLIENT_TIME));
        }
    }

    private static void putDelegated(XdrWriter out, TimeChange change) {
        if (change instanceof TimeChange.Delegated(var time)) {
            time.encode(out);
        }
    }
}
