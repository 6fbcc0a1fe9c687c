package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.connection.ConnectionLoss;
import io.github.rpcrdma4j.rpcrdma.events.ConnectionEvent;
import io.github.rpcrdma4j.rpcrdma.events.Recordings;
import java.net.InetSocketAddress;

/**
 * Records the JFR events for the set-up and the end of a connection, once each. Guarded by the lock
 * of the connection.
 */
final class ConnectionRecord {
    private final String side;
    private final InetSocketAddress peer;

    /** The event of the set-up; null if it has not begun, or no recording wants it. */
    private ConnectionEvent setUp;

    private boolean isSetUp;
    private boolean hasEnded;

    /** Whether the connection has ended, even if it was never set up. */
    private boolean isOver;

    private boolean isClosedByPeer;
    private Runnable whenEnded = () -> {};

    /**
     * @param side client or server
     * @param peer the address of the peer
     */
    ConnectionRecord(String side, InetSocketAddress peer) {
        this.side = side;
        this.peer = peer;
    }

    /** Sets an action that runs once, when the connection has ended. */
    void whenEnded(Runnable action) {
        if (isOver) {
            action.run();
        } else {
            whenEnded = action;
        }
    }

    /** Returns whether the connection has ended because the peer closed it in order. */
    boolean isClosedByPeer() {
        return isClosedByPeer;
    }

    /** Begins the event of the set-up. */
    void begin() {
        setUp = Recordings.beginConnection();
    }

    /** Records that the connection is set up. */
    void established() {
        isSetUp = true;
        if (setUp != null) {
            setUp.record(side, peer);
        }
    }

    /**
     * Records the end of the connection, if it was set up before.
     *
     * @param loss the reason
     */
    void ended(ConnectionLoss loss) {
        if (!isOver) {
            isOver = true;
            isClosedByPeer = loss instanceof ConnectionLoss.ClosedByPeer;
            whenEnded.run();
        }
        if (isSetUp && !hasEnded) {
            hasEnded = true;
            Recordings.connectionEnded(side, peer, loss.words());
        }
    }
}
