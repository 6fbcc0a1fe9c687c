package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.events.ConnectionEndEvent;
import io.github.rpcrdma4j.rpcrdma.events.ConnectionEvent;

/** Records the set-up and the end of a connection, once each. Guarded by its lock. */
final class ConnectionRecord {
    private final String side;
    private final Object peer;
    private final ConnectionEvent setUp = new ConnectionEvent();
    private boolean isSetUp;
    private boolean hasEnded;

    /**
     * @param side client or server
     * @param peer the address of the peer
     */
    ConnectionRecord(String side, Object peer) {
        this.side = side;
        this.peer = peer;
    }

    /** The set-up begins. */
    void begin() {
        setUp.begin();
    }

    /** The connection is set up. */
    void established() {
        isSetUp = true;
        setUp.record(side, peer);
    }

    /**
     * The connection has ended, perhaps before it was set up.
     *
     * @param reason for a user
     */
    void ended(String reason) {
        if (isSetUp && !hasEnded) {
            hasEnded = true;
            ConnectionEndEvent.record(side, peer, reason);
        }
    }
}
