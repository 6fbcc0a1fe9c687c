package io.github.rpcrdma4j.nfs.state.event;

/** How calls of the server to a client are authenticated: an immutable value of the driver. */
public interface BackChannelSecurity {
    /** Returns the length of the longest CB_RECALL message with it, in bytes. */
    int recallMax();
}
