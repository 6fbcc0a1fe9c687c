package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import java.net.InetSocketAddress;
import java.util.function.BiConsumer;

/**
 * The client of a served connection, for the handler of its calls.
 *
 * @param identity who the client was found to be when it connected
 * @param end ends a connection, with a reason
 */
record ConnectedPeer(
        ServedConnection connection,
        PeerIdentity identity,
        BiConsumer<ServedConnection, String> end)
        implements ServedPeer {
    @Override
    public InetSocketAddress address() {
        return connection.peer();
    }

    @Override
    public PeerIdentity identity() {
        return identity;
    }

    /** Returns true: a port of RDMA says nothing about its process. */
    @Override
    public boolean isPrivileged() {
        return true;
    }

    @Override
    public RpcTransport reverse() {
        return new ReverseTransport(connection);
    }

    @Override
    public void whenEnded(Runnable action) {
        connection.locked(() -> connection.record().whenEnded(action));
    }

    @Override
    public boolean hasLeftInOrder() {
        var byPeer = new boolean[1];
        connection.locked(() -> byPeer[0] = connection.record().isClosedByPeer());
        return byPeer[0];
    }

    @Override
    public void close(String reason) {
        end.accept(connection, reason);
    }
}
