package io.github.rpcrdma4j.rpcrdma.responder;

/** What is known of calls that came by earlier connections of the same client. */
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
}
