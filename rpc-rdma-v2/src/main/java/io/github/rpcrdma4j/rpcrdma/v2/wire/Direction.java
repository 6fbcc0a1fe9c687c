package io.github.rpcrdma4j.rpcrdma.v2.wire;

/**
 * In whose space the XID and the credits of a message are read (V2-3.2-1). The ordinals are those
 * of the RPC message types.
 */
public enum Direction {
    CALL,
    REPLY
}
