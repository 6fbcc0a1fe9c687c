package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.CallPlace;
import io.github.rpcrdma4j.nfs.state.event.CopyCall;
import io.github.rpcrdma4j.nfs.state.event.CopyEnd;
import io.github.rpcrdma4j.nfs.state.event.FileKey;

/**
 * An asynchronous copy (RFC 7862, Sections 4 and 15.2).
 *
 * <pre>
 *   running --end--> ended --CB_OFFLOAD answered--> (forgotten)
 *      \----------------+--OFFLOAD_CANCEL, end of the lease or of the client--^
 * </pre>
 *
 * <p>OFFLOAD_CANCEL stops a copy first, and is answered when no part is being copied any more.
 *
 * <p>While CB_OFFLOAD is not answered, the client can ask by OFFLOAD_STATUS.
 */
final class Copy {
    /** How often the server tells a client at most. */
    private static final int TRIES_MAX = 8;

    /** How long it waits between two of them at least. */
    private static final long REST_NANOS = 1_000_000_000L;

    /** Names the copy for the driver. */
    final long number;

    final Client client;

    /** Names it among the states and copies of its client. */
    final int index;

    final FileKey target;

    /** The COMPOUND that began it. */
    final CallPlace place;

    /** Whether its client does not want the rest. */
    boolean isStopped;

    /** How much is to be copied, in bytes. */
    final long length;

    /** How much is copied so far, in bytes. */
    long bytes;

    /** How it has ended; null while it runs. */
    CopyEnd end;

    private int tries;
    private boolean isTelling;
    private long told;

    Copy(long number, Client client, int index, CopyCall call, CallPlace place) {
        this.number = number;
        this.client = client;
        this.index = index;
        this.target = call.target();
        this.place = place;
        this.length = call.length();
        this.bytes = call.copied();
    }

    /** Returns whether to tell the client now that the copy has ended. */
    boolean mayTell(long now) {
        boolean isRested = tries == 0 || now - told >= REST_NANOS;
        return end != null && !isTelling && tries < TRIES_MAX && isRested;
    }

    void tell(long now) {
        isTelling = true;
        tries++;
        told = now;
    }

    /** The client has not answered. */
    void untold() {
        isTelling = false;
    }
}
