package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize.State.Growing;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize.State.Steady;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import java.util.Optional;

/**
 * The receive size that an endpoint has announced to its peer, while it changes.
 *
 * <pre>
 *             grow, or asked for more           no smaller receive left: announce
 *    Steady --------------------------> Growing -----------------------------------> Steady
 *      '--> asked for less: at once, the receives may stay as they are
 * </pre>
 *
 * The announced size always holds: every posted receive is at least that long (XCH-3.1-1,
 * XCH-3.1-4). A smaller size is announced only to a peer that asked for it (XCH-3-3, XCH-3.1-5).
 */
public final class LocalReceiveSize {
    private LocalReceiveSize() {}

    public sealed interface State {
        /** Returns the announced size, in bytes. */
        long told();

        record Steady(long told) implements State {}

        /**
         * Receives are posted with the new size only, and some of the old size remain.
         *
         * @param wasAsked whether the peer asked for the change and waits for an update
         */
        record Growing(long told, long size, boolean wasAsked) implements State {}
    }

    /**
     * The next state, and what to send to the peer.
     *
     * @param verdict the answer to the peer's request; empty if there was none
     * @param update the size that a ROPT_UPDXCH announces; empty for none
     * @param endsPending whether the update ends a pending request
     */
    public record Step(
            State next,
            Optional<ChangeVerdict> verdict,
            Optional<Long> update,
            boolean endsPending) {}

    /**
     * Starts to enlarge the receives by our own decision.
     *
     * @throws IllegalArgumentException if the size is not larger than the announced one: the peer
     *     did not ask for less
     * @throws IllegalStateException if a change is under way
     */
    public static State grow(State state, long size) {
        if (size <= state.told()) {
            throw new IllegalArgumentException("a smaller receive size is for the peer to ask for");
        }
        return switch (state) {
            case Steady(var told) -> new Growing(told, size, false);
            case Growing _ -> throw new IllegalStateException("the receive size is changing");
        };
    }

    /**
     * Answers the peer's request for another size.
     *
     * @param max the largest size that this side accepts, in bytes
     */
    public static Step asked(State state, long size, long max) {
        return switch (state) {
            case Growing _ -> answer(state, ChangeVerdict.REJECTED);
            case Steady(var told) -> {
                if (size > max || size < FirstMessage.BYTES_MAX) {
                    yield answer(state, ChangeVerdict.REJECTED);
                }
                yield size <= told
                        ? answer(new Steady(size), ChangeVerdict.DONE)
                        : answer(new Growing(told, size, true), ChangeVerdict.PENDING);
            }
        };
    }

    private static Step answer(State next, ChangeVerdict verdict) {
        return new Step(next, Optional.of(verdict), Optional.empty(), false);
    }

    /** Ends the growth once no receive of the old size remains. */
    public static Step drained(State state) {
        return switch (state) {
            case Steady _ -> new Step(state, Optional.empty(), Optional.empty(), false);
            case Growing(_, var size, var wasAsked) ->
                    new Step(new Steady(size), Optional.empty(), Optional.of(size), wasAsked);
        };
    }
}
