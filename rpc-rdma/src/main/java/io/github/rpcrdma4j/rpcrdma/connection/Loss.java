package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.oncrpc.RpcException;
import java.util.Optional;

/** Why a connection is gone. */
public sealed interface Loss {
    /** One line for a user that says whose doing it was. */
    String words();

    /** It was closed, or it failed. */
    record Ended(String words) implements Loss {}

    /**
     * This side gave up a call, and so withdrew memory that the peer still uses, or would have to
     * take back what is being sent. The peer did what it was asked to.
     */
    record CallGivenUp(String words) implements Loss {}

    /**
     * Of a queue pair that ended by itself.
     *
     * @param failure what it says
     */
    static Loss of(Optional<String> failure) {
        return new Ended(failure.orElse("the peer closed the connection"));
    }

    /** What a caller is told whose call the connection took with it. */
    default RpcException.ConnectionLost toException() {
        return switch (this) {
            case Ended(var words) -> new RpcException.ConnectionLost(words, null);
            case CallGivenUp(var words) -> new RpcException.CallGivenUp(words);
        };
    }
}
