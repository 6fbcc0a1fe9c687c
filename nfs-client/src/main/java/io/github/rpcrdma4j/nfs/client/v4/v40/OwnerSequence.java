package io.github.rpcrdma4j.nfs.client.v4.v40;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/**
 * The numbers of the operations of an open-owner or a lock-owner: {@code seqid} (RFC 7530, Section
 * 9.1.7). One operation at a time is under way. The server counts it unless its status says that it
 * did not get so far. If nobody knows whether it was counted, the same operation is sent again with
 * the same number: a server that has counted it sends its result again.
 *
 * <pre>
 *               IDLE n       SENT n          IN_DOUBT n       REPEATED n
 *  begin        SENT n                       REPEATED n
 *  counted                   IDLE n+1                         IDLE n+1
 *  not counted               IDLE n                           IN_DOUBT n
 *  unknown owner             IDLE n                           GONE
 *  BAD_SEQID                 GONE                             GONE
 *  left out                  IDLE n                           GONE
 *  unheard                   IN_DOUBT n                       IN_DOUBT n
 * </pre>
 *
 * <p>An owner that is gone is of no further use: the two sides do not agree about its number.
 */
public final class OwnerSequence {
    private State state = State.IDLE;
    private int number;

    /** What is known of the number. */
    public enum State {
        /** It is that of the next operation. */
        IDLE,
        /** An operation with it is under way. */
        SENT,
        /** Nobody knows whether an operation with it was counted. */
        IN_DOUBT,
        /** The same operation is under way once more. */
        REPEATED,
        /** The server counts in another way. */
        GONE
    }

    /** What became of an operation. */
    public enum Event {
        /** The server has counted it, whether it succeeded or not. */
        COUNTED,
        /** The server has not got so far. */
        NOT_COUNTED,
        /** The server does not know the owner, or what it had. */
        UNKNOWN_OWNER,
        /** The server counts in another way. */
        BAD_SEQID,
        /** An operation in front of it in its COMPOUND has failed. */
        LEFT_OUT,
        /** There is no answer that can be understood. */
        UNHEARD;

        /** Returns what a status says of the number (RFC 7530, Section 9.1.7). */
        public static Event of(Nfs4Status status) {
            return switch (status) {
                case BADXDR, RESOURCE, NOFILEHANDLE, MOVED -> NOT_COUNTED;
                case STALE_CLIENTID, STALE_STATEID, BAD_STATEID -> UNKNOWN_OWNER;
                case BAD_SEQID -> BAD_SEQID;
                default -> COUNTED;
            };
        }
    }

    /** Returns the number of the next operation, or of that under way. */
    public int number() {
        return number;
    }

    /** Returns what is known of the number. */
    public State state() {
        return state;
    }

    /**
     * Begins with an operation: with the same one, if nobody knows what became of it.
     *
     * @throws IllegalStateException if one is under way, or the owner is gone
     */
    public void begin() {
        state =
                switch (state) {
                    case IDLE -> State.SENT;
                    case IN_DOUBT -> State.REPEATED;
                    case SENT, REPEATED, GONE ->
                            throw new IllegalStateException("no operation may begin: " + state);
                };
    }

    /**
     * Ends an operation.
     *
     * @throws IllegalStateException if none is under way
     */
    public void end(Event event) {
        boolean isRepeated = state == State.REPEATED;
        if (state != State.SENT && !isRepeated) {
            throw new IllegalStateException("no operation is under way: " + state);
        }
        state =
                switch (event) {
                    case COUNTED -> State.IDLE;
                    case NOT_COUNTED -> isRepeated ? State.IN_DOUBT : State.IDLE;
                    case UNKNOWN_OWNER, LEFT_OUT -> isRepeated ? State.GONE : State.IDLE;
                    case BAD_SEQID -> State.GONE;
                    case UNHEARD -> State.IN_DOUBT;
                };
        if (event == Event.COUNTED) {
            number++;
        }
    }
}
