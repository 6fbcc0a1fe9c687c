package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.OneWayCredits;

/**
 * The credits that a requester's RDMA_DONE messages take. Each uses up a receive of the responder,
 * like a call (RFC 5666-3.8-5). So a credit is set aside with every call that may owe an RDMA_DONE
 * (RFC 5666-3.8-7).
 *
 * <pre>
 *   sent(true) --> set aside --> doneSent --> unconfirmed --> answered, for a call sent later
 *                      `-------> released
 * </pre>
 *
 * RDMA_DONE has no answer. Its credit is free again with the first answer to a call that was sent
 * after it. Not thread-safe.
 */
final class DoneCredits {
    private final OneWayCredits oneWay = new OneWayCredits();
    private int setAside;

    /** Returns the number of credits that calls cannot use. */
    public int held() {
        return setAside + oneWay.held();
    }

    /**
     * Counts a call that is sent, and sets a credit aside if it may owe an RDMA_DONE.
     *
     * @param mayOwe whether an RDMA_DONE may have to follow its reply
     * @return the number of the call, for {@link #answered}
     */
    public long sent(boolean mayOwe) {
        setAside += mayOwe ? 1 : 0;
        return oneWay.call();
    }

    /** Frees the credit of a call that might have owed an RDMA_DONE and owes none. */
    public void released() {
        take();
    }

    /** Moves the credit of a call to the RDMA_DONE that is sent for it. */
    public void doneSent() {
        take();
        oneWay.sent();
    }

    /** Frees the credits of RDMA_DONEs that were sent before that call, which is answered. */
    public void answered(long number) {
        oneWay.answered(number);
    }

    private void take() {
        if (setAside == 0) {
            throw new AssertionError("no credit was set aside for an RDMA_DONE");
        }
        setAside--;
    }
}
