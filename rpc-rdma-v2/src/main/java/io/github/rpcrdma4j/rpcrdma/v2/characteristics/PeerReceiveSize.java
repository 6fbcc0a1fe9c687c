package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerReceiveSize.State.Asked;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerReceiveSize.State.Pending;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerReceiveSize.State.Stable;

/**
 * The receive size of a peer, while this side asks for another.
 *
 * <pre>
 *              ask             pending
 *    Stable --------> Asked ------------> Pending
 *      ^   done, rejected |                  | an update that ends it
 *      '------------------'------------------'
 * </pre>
 *
 * A side that asks for less sends no longer messages from then on, because the peer may change at
 * any moment (XCH-3.1-6). Without an answer it keeps to that.
 */
public final class PeerReceiveSize {
    private PeerReceiveSize() {}

    public sealed interface State {
        /** Returns the longest Send that is safe, in bytes. */
        long sendMax();

        record Stable(long size) implements State {
            @Override
            public long sendMax() {
                return size;
            }
        }

        record Asked(long size, long wanted) implements State {
            @Override
            public long sendMax() {
                return Math.min(size, wanted);
            }
        }

        record Pending(long size, long wanted) implements State {
            @Override
            public long sendMax() {
                return Math.min(size, wanted);
            }
        }
    }

    /**
     * Asks for a size. Only one request is under way at a time (XCH-4-3).
     *
     * @throws IllegalStateException if another request was not answered yet
     */
    public static State ask(State state, long wanted) {
        return switch (state) {
            case Stable(var size) -> new Asked(size, wanted);
            case Asked _, Pending _ ->
                    throw new IllegalStateException(
                            "another request for a receive size is not answered yet");
        };
    }

    /** Applies the answer to the request; an answer without a request changes nothing. */
    public static State answered(State state, ChangeVerdict verdict) {
        return switch (state) {
            case Stable _, Pending _ -> state;
            case Asked(var size, var wanted) ->
                    switch (verdict) {
                        // XCH-4.3-2.
                        case DONE -> new Stable(wanted);
                        case REJECTED -> new Stable(size);
                        case PENDING -> new Pending(size, wanted);
                    };
        };
    }

    /**
     * Applies an update (XCH-4.4-2); any value ends a pending request if the update says so
     * (XCH-4.4-3).
     */
    public static State updated(State state, long size, boolean endsPending) {
        return switch (state) {
            case Stable _ -> new Stable(size);
            case Asked(_, var wanted) -> new Asked(size, wanted);
            case Pending(_, var wanted) ->
                    endsPending ? new Stable(size) : new Pending(size, wanted);
        };
    }
}
