package io.github.rpcrdma4j.nfs.client.v4.session;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/**
 * A slot of a session: its state, and the sequence number of its next or present call (RFC 8881,
 * Section 2.10.6.1). One call at a time has a slot. A number is used up when the server has carried
 * out a call with it. If that is not known, the slot is in doubt: SEQUENCE alone with the same
 * number finds it out, because the server answers a number that is used up from its cache, or
 * refuses to. It may refuse to while it still works on the call, so the next number is asked about,
 * too: it succeeds when that has ended.
 *
 * <pre>
 *            SENT             IN_DOUBT        PROBING, first      PROBING, again
 *  SUCCEEDED FREE n+1                         FREE n+1            FREE n+1
 *  DELAYED   SENT n                           PROBING n           PROBING n
 *  SPENT     IN_DOUBT n+1                     IN_DOUBT n+1        IN_DOUBT n+1
 *  REFUSED   FREE n                           IN_DOUBT n          IN_DOUBT n
 *  NO_SLOT   RETIRED                          RETIRED             RETIRED
 *  DISORDER  IN_DOUBT n                       PROBING n-1, again  LOST
 *  UNBOUND   SENT n                           PROBING n           PROBING n
 *  CUT       SENT n                           IN_DOUBT n          IN_DOUBT n
 *  UNKNOWN   IN_DOUBT n                       IN_DOUBT n          IN_DOUBT n
 *  UNSENT    FREE n                           IN_DOUBT n          IN_DOUBT n
 * </pre>
 *
 * @param sequence unsigned; that of the next call of a free slot, else that of the present one
 * @param isSecondProbe whether the server has refused the number of the first probe
 */
public record Slot(State state, int sequence, boolean isSecondProbe) {
    /** The slot of a new session: its first number is 1 (RFC 8881, Section 18.36). */
    public static final Slot NEW = new Slot(State.FREE, 1, false);

    /** What a slot is used for. */
    public enum State {
        /** No call has it. */
        FREE,
        /** A call has it, which is to be sent, or to be sent again until its outcome is known. */
        SENT,
        /** Its call has ended here, and nobody knows what became of it at the server. */
        IN_DOUBT,
        /** SEQUENCE alone is to find out whether the number is used up. */
        PROBING,
        /** The server has no such slot any more. */
        RETIRED,
        /** The two sides do not agree on the numbers: the session is of no use. */
        LOST
    }

    /** What became of a call, or of a probe. */
    public enum Outcome {
        /** SEQUENCE succeeded, also if an operation behind it failed. */
        SUCCEEDED,
        /** SEQUENCE failed with DELAY: the server works on the first copy of the call. */
        DELAYED,
        /** The number is used up, and the reply is gone: RETRY_UNCACHED_REP, SEQ_FALSE_RETRY. */
        SPENT,
        /**
         * SEQUENCE failed with a status that leaves the slot as it is (RFC 8881, 18.46.3): also
         * BAD_HIGH_SLOT, which is the fault of a call in another slot.
         */
        REFUSED,
        /** BADSLOT. */
        NO_SLOT,
        /** SEQ_MISORDERED. */
        DISORDER,
        /** CONN_NOT_BOUND_TO_SESSION. */
        UNBOUND,
        /** The connection was lost before the reply. */
        CUT,
        /** The reply says nothing of the slot, or none is waited for any more. */
        UNKNOWN,
        /** The call has not left this side. */
        UNSENT;

        /** Returns whether the same call is sent again in its slot, after a pause. */
        public boolean isSentAgain() {
            return this == DELAYED || this == UNBOUND;
        }

        /** Returns the outcome of a call whose SEQUENCE failed. */
        public static Outcome ofFailure(Nfs4Status status) {
            return switch (status) {
                case DELAY -> DELAYED;
                case RETRY_UNCACHED_REP, SEQ_FALSE_RETRY -> SPENT;
                case BADSLOT -> NO_SLOT;
                case SEQ_MISORDERED -> DISORDER;
                case CONN_NOT_BOUND_TO_SESSION -> UNBOUND;
                default -> REFUSED;
            };
        }
    }

    /**
     * Gives the slot to a call.
     *
     * @throws IllegalStateException if it is not free
     */
    public Slot taken() {
        require(State.FREE);
        return new Slot(State.SENT, sequence, false);
    }

    /**
     * Begins to find out whether the number is used up.
     *
     * @throws IllegalStateException if the slot is not in doubt
     */
    public Slot probed() {
        require(State.IN_DOUBT);
        return new Slot(State.PROBING, sequence, isSecondProbe);
    }

    /**
     * Returns the slot after an outcome of its call, or of its probe.
     *
     * @throws IllegalStateException if it has neither
     */
    public Slot after(Outcome outcome) {
        return switch (state) {
            case SENT -> afterCall(outcome);
            case PROBING -> afterProbe(outcome);
            case FREE, IN_DOUBT, RETIRED, LOST ->
                    throw new IllegalStateException("no call has the slot: " + this);
        };
    }

    private Slot afterCall(Outcome outcome) {
        return switch (outcome) {
            case SUCCEEDED -> next();
            case SPENT -> spent();
            case DELAYED, UNBOUND, CUT -> this;
            case REFUSED, UNSENT -> new Slot(State.FREE, sequence, false);
            case NO_SLOT -> new Slot(State.RETIRED, sequence, false);
            case DISORDER, UNKNOWN -> new Slot(State.IN_DOUBT, sequence, false);
        };
    }

    private Slot afterProbe(Outcome outcome) {
        return switch (outcome) {
            case SUCCEEDED -> next();
            case SPENT -> spent();
            case DELAYED, UNBOUND -> this;
            case REFUSED, CUT, UNKNOWN, UNSENT -> new Slot(State.IN_DOUBT, sequence, isSecondProbe);
            case NO_SLOT -> new Slot(State.RETIRED, sequence, false);
            case DISORDER ->
                    isSecondProbe
                            ? new Slot(State.LOST, sequence, true)
                            : new Slot(State.PROBING, sequence - 1, true);
        };
    }

    private Slot next() {
        return new Slot(State.FREE, sequence + 1, false);
    }

    /** The server may still work on the call: the next number succeeds when that has ended. */
    private Slot spent() {
        return new Slot(State.IN_DOUBT, sequence + 1, false);
    }

    private void require(State wanted) {
        if (state != wanted) {
            throw new IllegalStateException("the slot is not " + wanted + ": " + this);
        }
    }
}
