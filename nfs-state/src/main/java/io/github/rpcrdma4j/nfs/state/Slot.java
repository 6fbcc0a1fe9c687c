package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/**
 * A slot of a session, with the reply of the last COMPOUND that used it (RFC 8881, Section 2.10.6).
 *
 * <pre>
 *   call \ state   never used        in progress       done
 *   next           start             SEQ_MISORDERED    start
 *   last           SEQ_MISORDERED    DELAY             the kept reply, RETRY_UNCACHED_REP,
 *                                                      or SEQ_FALSE_RETRY
 *   any other      SEQ_MISORDERED    SEQ_MISORDERED    SEQ_MISORDERED
 * </pre>
 *
 * <p>A slot that was retired and is there again has lost its reply. Some clients count on in it,
 * and others start anew.
 */
final class Slot {
    private static final int FIRST_SEQUENCE = 1;

    private int sequence;
    private boolean isUsed;
    private boolean isRunning;
    private Principal principal;
    private long checksum;
    private Sequenced.Results results;
    private byte[] kept;
    private boolean wasRetired;

    /** The number of the target that the last reply has told. */
    private int told;

    /** Returns OK if the call may start or be answered with the kept reply. */
    Nfs4Status judge(SequenceCall call, Sender sender) {
        if (isRetry(call)) {
            if (!principal.equals(sender.principal()) || checksum != call.checksum()) {
                return Nfs4Status.SEQ_FALSE_RETRY;
            }
            if (isRunning) {
                return Nfs4Status.DELAY;
            }
            return kept == null ? Nfs4Status.RETRY_UNCACHED_REP : Nfs4Status.OK;
        }
        boolean isNext =
                call.sequence() == sequence + 1 || wasRetired && call.sequence() == FIRST_SEQUENCE;
        return isRunning || !isNext ? Nfs4Status.SEQ_MISORDERED : Nfs4Status.OK;
    }

    /** Takes the reply. */
    void retire() {
        isUsed = false;
        wasRetired = true;
        principal = null;
        results = null;
        kept = null;
    }

    int told() {
        return told;
    }

    boolean isRetry(SequenceCall call) {
        return isUsed && call.sequence() == sequence;
    }

    boolean isRunning() {
        return isRunning;
    }

    Sequenced replay() {
        return new Sequenced.Replayed(results, kept);
    }

    /**
     * @param target the number of the target in the results
     */
    void start(SequenceCall call, Sender sender, Sequenced.Results own, int target) {
        told = target;
        wasRetired = false;
        sequence = call.sequence();
        isUsed = true;
        isRunning = true;
        principal = sender.principal();
        checksum = call.checksum();
        results = own;
        kept = null;
    }

    void finish(byte[] reply) {
        isRunning = false;
        kept = reply;
    }
}
