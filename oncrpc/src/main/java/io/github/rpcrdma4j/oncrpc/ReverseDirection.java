package io.github.rpcrdma4j.oncrpc;

/**
 * The way back to a caller: calls of programs that it serves on the very connection that its own
 * call came by (RFC 8167). It lives as long as that connection and is never opened again from here:
 * only the caller connects. A program may keep it, and calls back only when the caller has said, in
 * the words of the program, that it is ready. Thread-safe.
 */
public interface ReverseDirection {
    /**
     * A client that makes calls by this way, of any thread but the one that reads connections:
     * there a call is an IllegalStateException (see {@link ProcedureDescriptor.Cost#NEGLIGIBLE}).
     * Calls fail with {@link RpcException.ConnectionLost} once the connection is gone; closing the
     * client leaves the connection alone.
     *
     * @param credential who makes these calls; what the other direction has does not matter (RFC
     *     8167-8-1)
     */
    RpcClient client(Credential credential);

    /** Whether the connection is still there. */
    boolean isOpen();
}
