package io.github.rpcrdma4j.nfs.client.local;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What is to change of a file's attributes. They are set in this order, as a change of the owner
 * takes bits of the mode away: owner, mode, times.
 *
 * @param mode the permission bits, 12 of them
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

    /** Only the permission bits. */
    public static LocalChanges ofMode(int mode) {
        return new LocalChanges(
                NONE.uid, NONE.gid, OptionalInt.of(mode), NONE.accessed, NONE.modified);
    }

    public LocalChanges withOwner(int changedUid, int changedGid) {
        return new LocalChanges(
                OptionalInt.of(changedUid), OptionalInt.of(changedGid), mode, accessed, modified);
    }

    public LocalChanges withTimes(Instant changedAccessed, Instant changedModified) {
        return new LocalChanges(
                uid, gid, mode, Optional.of(changedAccessed), Optional.of(changedModified));
    }
}
