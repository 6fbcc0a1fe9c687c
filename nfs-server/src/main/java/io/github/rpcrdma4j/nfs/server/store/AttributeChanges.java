package io.github.rpcrdma4j.nfs.server.store;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Attributes to be set; what is absent stays as it is.
 *
 * @param mode 12 bits
 * @param size bytes
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

    /** What happens to a time. */
    public sealed interface TimeChange {
        /** It stays. */
        record Keep() implements TimeChange {}

        /** It becomes the time of the server. */
        record Now() implements TimeChange {}

        /** It becomes this time. */
        record To(Time time) implements TimeChange {}
    }

    /** Changes the size alone, if there is one. */
    public static AttributeChanges ofSize(OptionalLong size) {
        return new AttributeChanges(
                NONE.mode, NONE.uid, NONE.gid, size, NONE.accessed, NONE.modified);
    }

    /** Whether an owner is to be set. */
    public boolean changesOwner() {
        return uid.isPresent() || gid.isPresent();
    }

    /** Whether a time is to be set. */
    public boolean changesTimes() {
        return !(accessed instanceof TimeChange.Keep && modified instanceof TimeChange.Keep);
    }
}
