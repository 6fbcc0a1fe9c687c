package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize.State.Growing;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize.State.Steady;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import java.util.Optional;

/**
 * The receive size that an endpoint has told, while it changes.
 *
 * <pre>
 *             grow, or asked for more           all smaller receives are gone: tell
 *    Steady --------------------------> Growing -----------------------------------> Steady
 *      '--> asked for less: at once, the receives may stay as they are
 * </pre>
 *
 * What was told always holds: every receive that stands posted takes it (XCH-3.1-1, XCH-3.1-4).
 * Less is told only to a peer that asked for it (XCH-3-3, XCH-3.1-5).
 */
public final class LocalReceiveSize {
    private LocalReceiveSize() {}

    public sealed interface State {
        /** What the peer has been told, in bytes. */
        long told();

        record Steady(long told) implements State {}

        /**
         * Receives are posted with the new size only.
         *
         * @param wasAsked whether the peer waits for this
         */
        record Growing(long told, long size, boolean wasAsked) implements State {}
    }

    /**
     * Where a step leads, and what is to be told.
     *
     * @param verdict the answer to a wish; empty if there was none
     * @param update the size that a ROPT_UPDXCH tells; empty for none
     * @param endsPending whether that ends what is pending
     */
    public record Step(
            State next,
            Optional<ChangeVerdict> verdict,
            Optional<Long> update,
            boolean endsPending) {}

    /**
     * This side wants larger receives.
     *
     * @throws IllegalArgumentException if it is not more than was told: the peer did not ask for
     *     less
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
     * The peer wants another size.
     *
     * @param max the most that is possible here
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

    /** The last receive of the old size is gone. */
    public static Step drained(State state) {
        return switch (state) {
            case Steady _ -> new Step(state, Optional.empty(), Optional.empty(), false);
            case Growing(_, var size, var wasAsked) ->
                    new Step(new Steady(size), Optional.empty(), Optional.of(size), wasAsked);
        };
    }
}
