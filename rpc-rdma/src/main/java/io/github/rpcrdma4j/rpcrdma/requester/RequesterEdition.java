package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.credit.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;

/**
 * What a requester does of its own by the edition of the protocol. Guarded by the lock of the
 * connection.
 */
sealed interface RequesterEdition permits Rfc8166Requester, Rfc5666Requester, Version2Requester {
    Edition edition();

    /** The version that calls are made in. */
    Framing framing();

    /** Takes a credit for a call that is about to be sent, and for what has to follow its reply. */
    boolean tryTake(CreditWindow credits, PendingCall call);

    /** Takes the credit that is kept back for probes. */
    boolean tryTakeReserved(CreditWindow credits);

    /** A call is sent. */
    void sent(PendingCall call);

    /** A sent call gave its credit back. */
    void answered(PendingCall call);

    /** Whether a reply came already, and only its results are still to come. */
    boolean hasReply(PendingCall call);

    /**
     * Fetches what a reply exposes.
     *
     * @param reply whose Read list is not empty
     * @param buffer what the reply came in; kept if this returns true
     * @return false if the call does not let it: the reply is no answer then
     */
    boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer);

    /** The peer answers no more RDMA Reads at a time than that. */
    void limitReads(int most);
}
