package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;

/**
 * The arguments of LOCK (RFC 8881, Section 18.10).
 *
 * @param isWaiting READW_LT or WRITEW_LT: the client asks again until it gets the lock
 * @param offset unsigned
 * @param length unsigned; all ones for all bytes from the offset on
 */
public record LockCall(
        FileKey file,
        LockMode type,
        boolean isWaiting,
        boolean isReclaim,
        long offset,
        long length,
        From from) {
    /** Returns whether the server asks, in the place of a host that waits. */
    public boolean isOffered() {
        return from instanceof OfHost(_, var isOffered) && isOffered;
    }

    /** Returns the number of the start of a host; 0 if it does not tell, or is none. */
    public int hostState() {
        return from instanceof OfHost(var claim, _) ? claim.state() : 0;
    }

    /** Returns the call that the server makes in the place of a host that waits. */
    public LockCall offered() {
        var claim = ((OfHost) from).claim;
        return new LockCall(
                file, type, isWaiting, isReclaim, offset, length, new OfHost(claim, true));
    }

    /** Whose lock it is. */
    public sealed interface From {}

    /**
     * A lock owner of the client of the session, at an open: {@code open_to_lock_owner4}.
     *
     * @param open the stateid of the open
     */
    public record NewOwner(StateId open, OpaqueName owner) implements From {}

    /**
     * A host, by NLM.
     *
     * @param isOffered whether the server asks for what the host waits for
     */
    public record OfHost(HostClaim claim, boolean isOffered) implements From {}

    /**
     * A lock owner that has a stateid: {@code exist_lock_owner4}.
     *
     * @param lock that stateid
     */
    public record KnownOwner(StateId lock) implements From {}
}
