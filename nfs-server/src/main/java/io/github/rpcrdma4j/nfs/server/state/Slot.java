package io.github.rpcrdma4j.nfs.server.state;

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
 */
final class Slot {
    private int sequence;
    private boolean isUsed;
    private boolean isRunning;
    private Principal principal;
    private long checksum;
    private Sequenced.Results results;
    private byte[] kept;

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
        return isRunning || call.sequence() != sequence + 1
                ? Nfs4Status.SEQ_MISORDERED
                : Nfs4Status.OK;
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

    void start(SequenceCall call, Sender sender, Sequenced.Results own) {
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
