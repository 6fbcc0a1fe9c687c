package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize.State.Growing;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize.State.Steady;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import java.util.Optional;

/**
 * The receive size that an endpoint has announced to its peer, while it changes.
 *
 * <pre>
 *             asked for more           no smaller receive left: announce
 *    Steady -----------------> Growing -----------------------------------> Steady
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
        long announced();

        record Steady(long announced) implements State {}

        /**
         * Receives are posted with the new size only, and some of the old size remain. The peer,
         * which asked for the change, waits for an update.
         */
        record Growing(long announced, long size) implements State {}
    }

    /**
     * The next state, and what to send to the peer.
     *
     * @param verdict the answer to the peer's request; empty if there was none
     * @param update the size that a ROPT_UPDXCH announces, which ends the pending request; empty
     *     for none
     */
    public record Step(State next, Optional<ChangeVerdict> verdict, Optional<Long> update) {}

    /**
     * Answers the peer's request for another size.
     *
     * @param max the largest size that this side accepts, in bytes
     */
    public static Step asked(State state, long size, long max) {
        return switch (state) {
            case Growing _ -> answer(state, ChangeVerdict.REJECTED);
            case Steady(var announced) -> {
                if (size > max || size < FirstMessage.BYTES_MAX) {
                    yield answer(state, ChangeVerdict.REJECTED);
                }
                yield size <= announced
                        ? answer(new Steady(size), ChangeVerdict.DONE)
                        : answer(new Growing(announced, size), ChangeVerdict.PENDING);
            }
        };
    }

    private static Step answer(State next, ChangeVerdict verdict) {
        return new Step(next, Optional.of(verdict), Optional.empty());
    }

    /** Ends the growth once no receive of the old size remains. */
    public static Step drained(State state) {
        return switch (state) {
            case Steady _ -> new Step(state, Optional.empty(), Optional.empty());
            case Growing(_, var size) ->
                    new Step(new Steady(size), Optional.empty(), Optional.of(size));
        };
    }
}
