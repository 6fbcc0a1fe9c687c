package io.github.rpcrdma4j.rpcrdma.requester;

/**
 * How many calls a requester may have outstanding on a connection.
 *
 * <pre>
 *   usable = min(requested, granted) - outstanding - reserved
 *
 *   granted = 1 until the first reply; reserved only where that leaves one
 * </pre>
 *
 * (RFC 8166-3.3.1-2, 8166-3.3.1-4, 8166-3.3.3-1, 5666-3.3-4, 5666-4.1-3, 5666-6.1-1, 5666-6.1-2.)
 *
 * <p>A call takes a credit when it is sent. The credit comes back with its reply, with an
 * RDMA_ERROR for it, or with the loss of the connection, and never because the caller gave up: the
 * responder still holds the receive that the call used. Not thread-safe.
 */
public final class CreditWindow {
    private final int requested;
    private int reserved;
    private int granted = 1;
    private int outstanding;

    /**
     * @param requested how many credits every call asks for; at least 1
     */
    public CreditWindow(int requested) {
        if (requested < 1) {
            throw new IllegalArgumentException("a requester asks for at least one credit");
        }
        this.requested = requested;
    }

    /** What every call asks for. */
    public int requested() {
        return requested;
    }

    /** The newest grant, never below 1. */
    public int granted() {
        return granted;
    }

    /** Calls that hold a credit. */
    public int outstanding() {
        return outstanding;
    }

    /** Keeps one credit back for {@link #tryTakeReserved}, where there are two or more. */
    public void reserve() {
        reserved = 1;
    }

    private int window() {
        return Math.min(requested, granted);
    }

    /**
     * Takes a credit for a call that is about to be sent, if there is one. The last one is always
     * to be had: otherwise nothing would ever be answered.
     *
     * @param held credits that calls cannot have, those included that this call sets aside
     */
    public boolean tryTake(int held) {
        int window = window();
        int left = window - held;
        return takeOf(left > 1 ? left - reserved : Math.min(window, 1));
    }

    /**
     * Takes a credit, perhaps the one that is kept back.
     *
     * @param held credits that calls cannot have
     */
    public boolean tryTakeReserved(int held) {
        return takeOf(window() - held);
    }

    /**
     * Takes the credits of a call of several Sends, all or none: so two that wait for more never
     * hold what the other needs (RTR-4.3-2). A call of one Send can always go if no other is out.
     *
     * @param sends how many; at least 1
     * @param held credits that calls cannot have
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
     * How many Sends a call could have now (RTR-4.3-1).
     *
     * @param held credits that calls cannot have
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

    /** The call was answered that held those credits, all of them (RTR-4.3-2). */
    public void release(int sends) {
        if (outstanding < sends) {
            throw new AssertionError("a credit came back that was not taken");
        }
        outstanding -= sends;
    }

    /**
     * A reply carried a grant (RFC 8166, Section 3.3.1). A grant of zero is illegal and taken for
     * one; a grant below what is outstanding revokes nothing.
     *
     * @param credits unsigned 32 bits
     */
    public void grant(int credits) {
        granted = credits == 0 ? 1 : credits < 0 ? Integer.MAX_VALUE : credits;
    }
}
