package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.spi.CallHeader;

/**
 * What is known of calls that came by earlier connections of the same client, and a place to tell
 * what its operator should know.
 */
public interface Guard {
    /** Nothing is known. */
    Guard NONE =
            new Guard() {
                @Override
                public boolean refuses(int xid) {
                    return false;
                }

                @Override
                public void broke(int xid) {}
            };

    /** Whether a call whose chunks broke a connection had that XID. */
    boolean refuses(int xid);

    /** The chunks of a call broke this connection. */
    void broke(int xid);

    /**
     * The results of a call have no room in what its requester offered, so it gets an error.
     *
     * @param call which it is
     * @param sizes of the results and of the room, for an operator
     */
    default void hasNoRoom(CallHeader call, String sizes) {}
}
