package io.github.rpcrdma4j.nfs.client.service;

import java.time.Instant;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The attributes of a file to set, and their new values. Absent ones stay unchanged.
 *
 * @param mode the permission bits
 * @param uid the number of the user that gets the file
 * @param gid the number of the group that gets the file
 * @param size in bytes
 * @param accessed the time of the last read
 * @param modified the time of the last change of the content
 */
public record AttributeChanges(
        OptionalInt mode,
        OptionalInt uid,
        OptionalInt gid,
        OptionalLong size,
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

    /** The change of a time. */
    public sealed interface TimeChange {
        /** The time stays. */
        record Keep() implements TimeChange {}

        /** The time becomes that of the clock of the server. */
        record Now() implements TimeChange {}

        /**
         * The time becomes this one, or the nearest one that the version of NFS can express ({@link
         * FileService#nearest}).
         */
        record To(Instant time) implements TimeChange {}
    }

    /** Returns a change of the permission bits alone. */
    public static AttributeChanges ofMode(int mode) {
        return NONE.withMode(mode);
    }

    /** Returns a change of the size alone, in bytes. */
    public static AttributeChanges ofSize(long size) {
        return NONE.withSize(size);
    }

    /** Returns these changes with another size, in bytes. */
    public AttributeChanges withSize(long other) {
        return new AttributeChanges(mode, uid, gid, OptionalLong.of(other), accessed, modified);
    }

    /** Returns these changes with other permission bits. */
    public AttributeChanges withMode(int other) {
        return new AttributeChanges(OptionalInt.of(other), uid, gid, size, accessed, modified);
    }

    /** Returns these changes with another user and group. */
    public AttributeChanges withOwner(OptionalInt user, OptionalInt group) {
        return new AttributeChanges(mode, user, group, size, accessed, modified);
    }

    /** Returns these changes with other changes of the times. */
    public AttributeChanges withTimes(TimeChange access, TimeChange modification) {
        return new AttributeChanges(mode, uid, gid, size, access, modification);
    }

    /** Returns these changes without those of the user and the group. */
    public AttributeChanges withoutOwner() {
        return new AttributeChanges(mode, NONE.uid, NONE.gid, size, accessed, modified);
    }
}
