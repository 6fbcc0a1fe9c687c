package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;

/**
 * The reactions of a sender when its peer complains about a group.
 *
 * <pre>
 *   what was complained about        then
 *   a call that waits                again, once, with what the base has; a second time it fails
 *   a response                       an RDMA2_ERROR in its place: responses are not kept
 *   anything else                    nothing
 * </pre>
 *
 * A complaint is never answered by a complaint (V2-X-1). Not thread-safe.
 */
public final class GroupErrors {
    /**
     * The number of complaints in a row after which the feature is no longer used on a connection.
     */
    public static final int IN_A_ROW_MAX = 3;

    /** The message that a complaint is about. */
    public enum Subject {
        /** A call that waits for its reply, sent once. */
        WAITING_CALL,
        /** A call that was already sent a second time. */
        RESENT_CALL,
        RESPONSE,
        UNKNOWN
    }

    /** The reaction to a complaint. */
    public enum Reaction {
        /** Send the call again without extensions (RTR-5.4-4). */
        RESEND_WITH_BASE,
        FAIL_CALL,
        /** Send an RDMA2_ERROR instead of the response (RTR-X-3). */
        SEND_ERROR,
        NOTHING
    }

    private int inARow;

    /** Returns which of our groups a complaint is about: the cause, if it names one. */
    public static TransmissionId subject(TransmitError complaint) {
        return complaint.lead().orElse(complaint.bad());
    }

    /** Returns the reaction; nothing for an unknown message (RTR-9.5-11). */
    public Reaction on(Subject subject) {
        return switch (subject) {
            case WAITING_CALL -> {
                inARow++;
                yield Reaction.RESEND_WITH_BASE;
            }
            case RESENT_CALL -> Reaction.FAIL_CALL;
            case RESPONSE -> {
                inARow++;
                yield Reaction.SEND_ERROR;
            }
            case UNKNOWN -> Reaction.NOTHING;
        };
    }

    /**
     * Records that a group was accepted. That ends a series of complaints unless the feature is out
     * of use already.
     */
    public void succeeded() {
        if (isWorthTrying()) {
            inARow = 0;
        }
    }

    /** Returns whether groups are still worth sending on this connection. */
    public boolean isWorthTrying() {
        return inARow < IN_A_ROW_MAX;
    }
}
