package io.github.rpcrdma4j.rpcrdma.requester;

/**
 * The credits of a requester, which limit its outstanding calls on a connection.
 *
 * <pre>
 *   usable = min(requested, granted) - outstanding - reserved
 *
 *   granted = 1 until the first reply; reserved only where that leaves one
 * </pre>
 *
 * (RFC 8166-3.3.1-2, 8166-3.3.1-4, 8166-3.3.3-1, 5666-3.3-4, 5666-4.1-3, 5666-6.1-1, 5666-6.1-2.)
 *
 * <p>A call takes a credit when it is sent. The credit returns with the reply, with an RDMA_ERROR
 * for the call, or with the end of the connection. It does not return when the caller gives up,
 * because the call still uses a receive of the responder. Not thread-safe.
 */
public final class CreditWindow {
    private final int requested;
    private int reserved;
    private int granted = 1;
    private int outstanding;

    /**
     * @param requested how many credits every call requests; at least 1
     */
    public CreditWindow(int requested) {
        if (requested < 1) {
            throw new IllegalArgumentException("a requester asks for at least one credit");
        }
        this.requested = requested;
    }

    /** Returns how many credits every call requests. */
    public int requested() {
        return requested;
    }

    /** Returns the newest grant, which is never below 1. */
    public int granted() {
        return granted;
    }

    /** Returns how many credits calls hold now. */
    public int outstanding() {
        return outstanding;
    }

    /**
     * Reserves one credit for {@link #tryTakeReserved}, if there are two or more (RFC
     * 8267-6.7.2-1).
     */
    public void reserve() {
        reserved = 1;
    }

    private int window() {
        return Math.min(requested, granted);
    }

    /**
     * Takes a credit for a call that is about to be sent, if one is free. If no call is
     * outstanding, a call can always take one, so that some call can be answered.
     *
     * @param held credits that calls cannot take, including those that this call sets aside
     */
    public boolean tryTake(int held) {
        int window = window();
        int left = window - held;
        return takeOf(left > 1 ? left - reserved : Math.min(window, 1));
    }

    /**
     * Takes a credit, which may be the reserved one.
     *
     * @param held credits that calls cannot take
     */
    public boolean tryTakeReserved(int held) {
        return takeOf(window() - held);
    }

    /**
     * Takes the credits for a call of several Sends, either all or none. Two such calls therefore
     * never wait for credits of each other (RTR-4.3-2). A call of one Send can always be sent if no
     * other call is outstanding.
     *
     * @param sends the number of Sends; at least 1
     * @param held credits that calls cannot take
     */
    public boolean tryTakeAll(int sends, int held) {
        if (sends == 1) {
            return tryTake(held);
        }
        if (sends > available(held)) {
            return false;
        }
        outstanding += sends;
        return true;
    }

    /**
     * Returns how many Sends a call could have now (RTR-4.3-1).
     *
     * @param held credits that calls cannot take
     */
    public int available(int held) {
        int free = window() - held - reserved - outstanding;
        return Math.max(outstanding == 0 ? 1 : 0, free);
    }

    private boolean takeOf(int usable) {
        if (outstanding >= usable) {
            return false;
        }
        outstanding++;
        return true;
    }

    /** Returns all credits of an answered call (RTR-4.3-2). */
    public void release(int sends) {
        if (outstanding < sends) {
            throw new AssertionError("a credit came back that was not taken");
        }
        outstanding -= sends;
    }

    /**
     * Sets the grant of a reply (RFC 8166, Section 3.3.1). A grant of zero is illegal and counts as
     * one. A grant below the outstanding credits revokes none of them.
     *
     * @param credits the grant, an unsigned 32-bit number
     */
    public void grant(int credits) {
        granted = credits == 0 ? 1 : credits < 0 ? Integer.MAX_VALUE : credits;
    }
}
