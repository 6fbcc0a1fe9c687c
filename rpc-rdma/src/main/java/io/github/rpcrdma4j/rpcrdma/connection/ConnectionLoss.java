package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.verbs.QueuePair;
import java.util.Collection;
import java.util.Optional;

/** The reason for which a connection ended. */
public sealed interface ConnectionLoss {
    /** Returns one line for a user that names the cause. */
    String words();

    /** The peer closed the connection in order. */
    record ClosedByPeer() implements ConnectionLoss {
        @Override
        public String words() {
            return "the peer closed the connection";
        }
    }

    /** This side closed the connection, or it failed. */
    record Ended(String words) implements ConnectionLoss {}

    /**
     * This side ended a call early, and so withdrew memory that the peer still used or that a Send
     * was still reading. The peer did nothing wrong.
     */
    record CallGivenUp(String words) implements ConnectionLoss {}

    /**
     * Returns the reason for which a queue pair failed by itself. If the peer used an unknown
     * handle, the cause may be that this side withdrew it.
     */
    static ConnectionLoss of(QueuePair queuePair, Collection<Endpoint.Role> roles) {
        return queuePair.unknownHandle().stream()
                .flatMap(used -> roles.stream().map(role -> role.withdrew(used)))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseGet(
                        () ->
                                queuePair
                                        .failure()
                                        .<ConnectionLoss>map(Ended::new)
                                        .orElseGet(ClosedByPeer::new));
    }

    /** Returns the exception for a call that was in progress on the connection. */
    default RpcException.ConnectionLost toException() {
        return switch (this) {
            case ClosedByPeer _, Ended _ -> new RpcException.ConnectionLost(words(), null);
            case CallGivenUp(var words) -> new RpcException.CallGivenUp(words);
        };
    }
}
