package io.github.rpcrdma4j.rpcrdma.v2.pull;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The life of a fetched reply at the requester.
 *
 * <pre>
 *             CANCELLED         all Reads over: tell
 *    PULLING -----------> ABANDONED ----------------.
 *       | all Reads over: tell                      v
 *       '-----------------------------------------> OVER
 * </pre>
 *
 * The responder is told once, and not before the last Read is over (RPR-4.1.2-2, RPR-4.1.3-7). A
 * call that is given up needs no fence: what is read is private until it is delivered
 * (RPR-5.1.3-1). The call may complete before the responder is told (RPR-5.1.4-1).
 */
public enum PullState {
    /** Reads are under way, for somebody who waits. */
    PULLING,
    /** Reads are under way, and nobody waits any more. */
    ABANDONED,
    OVER;

    /** What to do with a reply that has a Position-Zero Read chunk. */
    public enum Verdict {
        /** Fetch it into memory of one's own (RPR-4.1.2-1). */
        PULL,
        /** Tell the responder at once, and read nothing: nobody waits (RPR-4.1.3-2). */
        TELL,
        /** The same, and the call fails (RPR-4.1.3-4, RPR-X-3). */
        TELL_AND_FAIL;

        /**
         * Decides.
         *
         * @param isPending whether a call with that XID waits
         * @param isSupported whether this was offered to the responder
         * @param length of the chunk, in octets
         * @param max the longest reply that is taken
         */
        public static Verdict of(boolean isPending, boolean isSupported, long length, long max) {
            if (!isPending) {
                return TELL;
            }
            return isSupported && length <= max ? PULL : TELL_AND_FAIL;
        }
    }

    /** What can happen. */
    public enum Event {
        /** The last Read ended well. */
        READ,
        /** A Read failed, none is under way any more, and the connection lives. */
        FAILED,
        /** The call was given up. */
        CANCELLED,
        /** The connection is gone, and all memory of the responder with it. */
        LOST
    }

    /** What must be done, in the order of the constants. */
    public enum Action {
        DELIVER,
        FAIL_CALL,
        /** Say that the responder may have its memory back. */
        TELL,
        /** Give back the memory into which was read. */
        RELEASE
    }

    /** Where an event leads, and what must be done on the way there. */
    public record Step(PullState next, Set<Action> actions) {}

    private static Step to(PullState next) {
        return new Step(next, Set.of());
    }

    private static Step over(Action first, Action... more) {
        return new Step(OVER, Collections.unmodifiableSet(EnumSet.of(first, more)));
    }

    /** The step that {@code event} takes from this state. */
    public Step on(Event event) {
        return switch (this) {
            case PULLING ->
                    switch (event) {
                        // Whoever takes delivery owns the memory.
                        case READ -> over(Action.DELIVER, Action.TELL);
                        case FAILED -> over(Action.FAIL_CALL, Action.TELL, Action.RELEASE);
                        case CANCELLED -> to(ABANDONED);
                        case LOST -> over(Action.FAIL_CALL, Action.RELEASE);
                    };
            case ABANDONED ->
                    switch (event) {
                        case READ, FAILED -> over(Action.TELL, Action.RELEASE);
                        case CANCELLED -> to(ABANDONED);
                        case LOST -> over(Action.RELEASE);
                    };
            case OVER -> to(OVER);
        };
    }
}
