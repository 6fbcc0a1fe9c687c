package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.verbs.QueuePair;
import java.util.Collection;
import java.util.Optional;

/** Why a connection is gone. */
public sealed interface ConnectionLoss {
    /** One line for a user that says whose doing it was. */
    String words();

    /** It was closed, or it failed. */
    record Ended(String words) implements ConnectionLoss {}

    /**
     * This side gave up a call, and so withdrew memory that the peer still uses, or would have to
     * take back what is being sent. The peer did what it was asked to.
     */
    record CallGivenUp(String words) implements ConnectionLoss {}

    /**
     * Of a queue pair that ended by itself. What the peer did with a handle may be the doing of
     * this side.
     */
    static ConnectionLoss of(QueuePair queuePair, Collection<Endpoint.Role> roles) {
        return queuePair.unknownHandle().stream()
                .flatMap(used -> roles.stream().map(role -> role.withdrew(used)))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseGet(
                        () ->
                                new Ended(
                                        queuePair
                                                .failure()
                                                .orElse("the peer closed the connection")));
    }

    /** What a caller is told whose call the connection took with it. */
    default RpcException.ConnectionLost toException() {
        return switch (this) {
            case Ended(var words) -> new RpcException.ConnectionLost(words, null);
            case CallGivenUp(var words) -> new RpcException.CallGivenUp(words);
        };
    }
}
