package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.state.SlotUse;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.Optional;

/**
 * How long the reply of a COMPOUND may be.
 *
 * @param responseMax the longest one, in bytes
 * @param cachedMax the longest one that is kept, if the client wants it kept
 * @param tooLong the status of an operation whose result is not within the first limit
 */
record ReplyLimits(long responseMax, long cachedMax, Nfs4Status tooLong) {
    /** Minor version 0 has no session to agree on a limit. This is the largest of sessions. */
    static final ReplyLimits VERSION_0 =
            new ReplyLimits((1 << 20) + (16 << 10), Long.MAX_VALUE, Nfs4Status.RESOURCE);

    static ReplyLimits of(SlotUse slot) {
        return new ReplyLimits(
                Integer.toUnsignedLong(slot.responseMax()),
                slot.keepsReply() ? Integer.toUnsignedLong(slot.cachedMax()) : Long.MAX_VALUE,
                Nfs4Status.REP_TOO_BIG);
    }

    /** Returns the status of an operation with which the reply gets so long; nothing if it may. */
    Optional<Nfs4Status> tooBig(long bytes) {
        if (bytes > responseMax) {
            return Optional.of(tooLong);
        }
        return bytes > cachedMax ? Optional.of(Nfs4Status.REP_TOO_BIG_TO_CACHE) : Optional.empty();
    }
}
