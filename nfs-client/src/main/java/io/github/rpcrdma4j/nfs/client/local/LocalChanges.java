package io.github.rpcrdma4j.nfs.client.local;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Changes to the attributes of a file; empty ones stay as they are. The owner is set first, then
 * the mode, then the times, because a change of the owner clears mode bits.
 *
 * @param mode the 12 permission bits
 */
public record LocalChanges(
        OptionalInt uid,
        OptionalInt gid,
        OptionalInt mode,
        Optional<Instant> accessed,
        Optional<Instant> modified) {
    /** Changes nothing. */
    public static final LocalChanges NONE =
            new LocalChanges(
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    Optional.empty(),
                    Optional.empty());

    /** Returns a change of the permission bits alone. */
    public static LocalChanges ofMode(int mode) {
        return new LocalChanges(
                NONE.uid, NONE.gid, OptionalInt.of(mode), NONE.accessed, NONE.modified);
    }

    /** Returns a change of the group. */
    public static LocalChanges ofGroup(int gid) {
        return new LocalChanges(
                OptionalInt.empty(),
                OptionalInt.of(gid),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Returns these changes with another owner and group. */
    public LocalChanges withOwner(int changedUid, int changedGid) {
        return new LocalChanges(
                OptionalInt.of(changedUid), OptionalInt.of(changedGid), mode, accessed, modified);
    }

    /** Returns these changes with other times. */
    public LocalChanges withTimes(Instant changedAccessed, Instant changedModified) {
        return new LocalChanges(
                uid, gid, mode, Optional.of(changedAccessed), Optional.of(changedModified));
    }
}
