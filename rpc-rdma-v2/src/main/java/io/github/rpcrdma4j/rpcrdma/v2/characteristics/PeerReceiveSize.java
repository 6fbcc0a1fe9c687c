package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerReceiveSize.State.Asked;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerReceiveSize.State.Pending;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerReceiveSize.State.Stable;

/**
 * The receive size of a peer, while one asks for another.
 *
 * <pre>
 *              ask             pending
 *    Stable --------> Asked ------------> Pending
 *      ^   done, rejected |                  | an update that ends it
 *      '------------------'------------------'
 * </pre>
 *
 * Who asks for less sends no more than that from then on, because the peer may change at any moment
 * (XCH-3.1-6). Without any answer it stays so.
 */
public final class PeerReceiveSize {
    private PeerReceiveSize() {}

    public sealed interface State {
        /** The longest Send that is safe, in bytes. */
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
     * Asks for a size. One wish is under way at a time (XCH-4-3).
     *
     * @throws IllegalStateException if another wish was not answered yet
     */
    public static State ask(State state, long wanted) {
        return switch (state) {
            case Stable(var size) -> new Asked(size, wanted);
            case Asked _, Pending _ ->
                    throw new IllegalStateException("a wish for a size is not answered yet");
        };
    }

    /** The answer to the wish; an answer without a wish changes nothing. */
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

    /** An update (XCH-4.4-2); one that ends what is pending does so with any value (XCH-4.4-3). */
    public static State updated(State state, long size, boolean endsPending) {
        return switch (state) {
            case Stable _ -> new Stable(size);
            case Asked(_, var wanted) -> new Asked(size, wanted);
            case Pending(_, var wanted) ->
                    endsPending ? new Stable(size) : new Pending(size, wanted);
        };
    }
}
