package io.github.rpcrdma4j.nfs.store;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The attributes to set. Absent ones stay unchanged.
 *
 * @param mode permissions, with set-user-ID, set-group-ID and sticky: 12 bits
 * @param umask the bits that the mode of a new file loses, unless its directory has a default
 *     access control list (RFC 8275); without effect on existing files
 * @param uid the user that gets the file
 * @param gid the group that gets the file
 * @param size in bytes
 * @param acls replace both lists of the file. They are set after the mode, and replace its lowest
 *     nine bits (RFC 8881, Section 6.4.1.3)
 * @param accessed the time of the last read
 * @param modified the time of the last change of the content
 */
public record AttributeChanges(
        OptionalInt mode,
        OptionalInt umask,
        OptionalInt uid,
        OptionalInt gid,
        OptionalLong size,
        Optional<Acls> acls,
        TimeChange accessed,
        TimeChange modified) {
    /** Changes nothing. */
    public static final AttributeChanges NONE =
            new AttributeChanges(
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalLong.empty(),
                    new TimeChange.Keep(),
                    new TimeChange.Keep());

    /** An attribute that can be set. */
    public enum Attribute {
        /** The size of a regular file. */
        SIZE,
        /** The user that owns the file. */
        OWNER,
        /** The group that owns the file. */
        GROUP,
        /** The permissions. */
        MODE,
        /** The access control lists. */
        ACLS,
        /** The time of the last read. */
        ACCESSED,
        /** The time of the last change of the content. */
        MODIFIED
    }

    /** Changes attributes without lists and umask. */
    public AttributeChanges(
            OptionalInt mode,
            OptionalInt uid,
            OptionalInt gid,
            OptionalLong size,
            TimeChange accessed,
            TimeChange modified) {
        this(mode, OptionalInt.empty(), uid, gid, size, Optional.empty(), accessed, modified);
    }

    /** The change of a time. */
    public sealed interface TimeChange {
        /**
         * Returns what the time is after the change.
         *
         * @param before what it is
         * @param now the current time of the server
         */
        default Time after(Time before, Time now) {
            return switch (this) {
                case Keep _ -> before;
                case Now _ -> now;
                case To(var time) -> time;
            };
        }

        /** The time stays unchanged. */
        record Keep() implements TimeChange {}

        /** The time becomes the current time of the server. */
        record Now() implements TimeChange {}

        /**
         * The time becomes this one.
         *
         * @param time what it becomes
         */
        record To(Time time) implements TimeChange {}
    }

    /** Returns a change of the size alone, or no change if the size is empty. */
    public static AttributeChanges ofSize(OptionalLong size) {
        return new AttributeChanges(
                NONE.mode, NONE.uid, NONE.gid, size, NONE.accessed, NONE.modified);
    }

    /** Returns a change of the times alone. */
    public static AttributeChanges ofTimes(TimeChange accessed, TimeChange modified) {
        return new AttributeChanges(NONE.mode, NONE.uid, NONE.gid, NONE.size, accessed, modified);
    }

    /**
     * Returns the mode of a new file whose directory has no default access control list.
     *
     * @param usual the mode if this sets none
     */
    public int modeOfNew(int usual) {
        return mode.orElse(usual) & ~umask.orElse(0);
    }

    /**
     * Checks that a file without access control lists can have these attributes.
     *
     * @throws StoreException {@link Failure#NOTSUPP} for lists, {@link Failure#INVAL} for the user
     *     or group {@link Caller#NO_ID}
     */
    public void requireWithoutAcls() throws StoreException {
        Failure.NOTSUPP.unless(acls.isEmpty());
        Failure.INVAL.unless(uid.orElse(0) != Caller.NO_ID && gid.orElse(0) != Caller.NO_ID);
    }

    /** Returns whether this sets a user or a group. */
    public boolean changesOwner() {
        return uid.isPresent() || gid.isPresent();
    }

    /** Returns whether this sets no time but to the current one. */
    public boolean setsOnlyCurrentTimes() {
        return !(accessed instanceof TimeChange.To) && !(modified instanceof TimeChange.To);
    }

    /** Returns whether this sets what only the owner of a file may set, but for times. */
    public boolean changesRights() {
        return mode.isPresent() || changesOwner() || acls.isPresent();
    }

    /** Returns whether this sets a time. */
    public boolean changesTimes() {
        return !(accessed instanceof TimeChange.Keep && modified instanceof TimeChange.Keep);
    }
}
