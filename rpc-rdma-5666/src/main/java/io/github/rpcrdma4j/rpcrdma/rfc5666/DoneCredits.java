package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.rpcrdma.fetched.OneWayCredits;

/**
 * The credits that a requester's RDMA_DONE messages take: each uses up a receive of the responder,
 * like a call (RFC 5666-3.8-5), so one is set aside with every call that may owe one (RFC
 * 5666-3.8-7).
 *
 * <pre>
 *   sent(true) --> set aside --> doneSent --> unconfirmed --> answered, for a call sent later
 *                      `-------> spared
 * </pre>
 *
 * RDMA_DONE has no answer. Its credit is free again with the first answer to a call that was sent
 * after it. Not thread-safe.
 */
final class DoneCredits {
    private final OneWayCredits oneWay = new OneWayCredits();
    private int setAside;

    /** Credits that calls cannot have. */
    public int held() {
        return setAside + oneWay.held();
    }

    /**
     * A call is sent.
     *
     * @param mayOwe whether an RDMA_DONE may have to follow its reply
     * @return the number of the call, for {@link #answered}
     */
    public long sent(boolean mayOwe) {
        setAside += mayOwe ? 1 : 0;
        return oneWay.call();
    }

    /** A call that might have owed an RDMA_DONE owes none. */
    public void spared() {
        take();
    }

    /** The RDMA_DONE that a call owed is sent. */
    public void doneSent() {
        take();
        oneWay.sent();
    }

    /** The call of that number was answered. */
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
