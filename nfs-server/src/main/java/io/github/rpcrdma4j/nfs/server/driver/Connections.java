package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The connections that calls of NFS version 4 came over. A transport has one address object for
 * each connection. Thread-safe.
 */
public final class Connections {
    private record Known(InetSocketAddress peer, Connection connection, ReverseDirection reverse) {}

    private final Map<InetSocketAddress, Known> byPeer = new IdentityHashMap<>();
    private final Map<Connection, Known> byConnection = new HashMap<>();
    private long last;

    /** Runs when there is a new connection; set once. */
    private volatile Runnable onNew = () -> {};

    /** Sets what runs before the first call of a connection goes on. */
    void onNew(Runnable action) {
        onNew = action;
    }

    /** Returns the connection of a call. */
    public Connection of(RpcRequest request) {
        long before;
        Connection connection;
        synchronized (this) {
            before = last;
            connection = known(request);
        }
        if (connection.callsBack() && connection.number() > before) {
            onNew.run();
        }
        return connection;
    }

    private Connection known(RpcRequest request) {
        var known = byPeer.get(request.peer());
        if (known == null) {
            var reverse = request.reverse().orElse(null);
            var connection = new Connection(++last, reverse != null);
            if (reverse == null) {
                // Nothing tells when it ends, so it is a connection for this call only.
                return connection;
            }
            known = new Known(request.peer(), connection, reverse);
            byPeer.put(request.peer(), known);
            byConnection.put(connection, known);
        }
        return known.connection;
    }

    /** Returns the reverse direction of a connection that is still open. */
    synchronized Optional<ReverseDirection> reverse(Connection connection) {
        return Optional.ofNullable(byConnection.get(connection))
                .map(Known::reverse)
                .filter(ReverseDirection::isOpen);
    }

    /** Removes and returns the connections that have ended. */
    synchronized List<Connection> removeEnded() {
        var ended = new ArrayList<Connection>();
        for (var each : List.copyOf(byConnection.values())) {
            if (!each.reverse.isOpen()) {
                byPeer.remove(each.peer);
                byConnection.remove(each.connection);
                ended.add(each.connection);
            }
        }
        return ended;
    }
}
