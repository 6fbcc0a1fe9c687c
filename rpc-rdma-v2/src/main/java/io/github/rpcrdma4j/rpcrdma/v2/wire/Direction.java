package io.github.rpcrdma4j.rpcrdma.v2.wire;

/**
 * The direction of a message, which says to whose calls its XID and its credits belong (V2-3.2-1).
 * The ordinals are those of the RPC message types.
 */
public enum Direction {
    CALL,
    REPLY
}
