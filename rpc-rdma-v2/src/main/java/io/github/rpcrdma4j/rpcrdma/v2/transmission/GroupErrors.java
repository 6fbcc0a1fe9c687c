package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;

/**
 * What a sender does when its peer complains about a group.
 *
 * <pre>
 *   what was complained about        then
 *   a call that waits                again, once, with what the base has; a second time it fails
 *   a response                       an RDMA2_ERROR in its place: responses are not kept
 *   anything else                    nothing
 * </pre>
 *
 * Nothing is ever complained about in answer (V2-X-1). Not thread-safe.
 */
public final class GroupErrors {
    /** Complaints in a row after which the feature is left alone on a connection. */
    public static final int IN_A_ROW_MAX = 3;

    /** What was complained about. */
    public enum Victim {
        WAITING_CALL,
        /** It went out again already. */
        RESENT_CALL,
        RESPONSE,
        UNKNOWN
    }

    /** What is done about it. */
    public enum Reaction {
        /** RTR-5.4-4. */
        RESEND_WITH_BASE,
        FAIL_CALL,
        /** RTR-X-3. */
        SEND_ERROR,
        NOTHING
    }

    private int inARow;

    /** Which of our groups a complaint is about: the cause, if it names one. */
    public static TransmissionId victim(TransmitError complaint) {
        return complaint.lead().orElse(complaint.bad());
    }

    /** What to do; about what is not known it is nothing (RTR-9.5-11). */
    public Reaction on(Victim victim) {
        return switch (victim) {
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

    /** A group was taken: its call was answered, or its response was not complained about. */
    public void succeeded() {
        inARow = 0;
    }

    /** Whether groups are still worth sending on this connection. */
    public boolean isWorthTrying() {
        return inARow < IN_A_ROW_MAX;
    }
}
