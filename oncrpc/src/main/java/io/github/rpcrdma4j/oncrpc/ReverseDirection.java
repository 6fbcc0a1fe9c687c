package io.github.rpcrdma4j.oncrpc;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The reverse direction of a connection: calls from the server to programs that the client serves
 * on that connection (RFC 8167). It ends with the connection, and the server cannot reopen it,
 * because only the client connects. A program may keep this object. It makes reverse calls only
 * after the client has announced, by the program's own protocol, that it is ready. Thread-safe.
 */
public interface ReverseDirection {
    /**
     * Returns a client that makes calls in the reverse direction. Its calls throw an
     * IllegalStateException on the thread that reads connections (see {@link
     * ProcedureDescriptor.Cost#NEGLIGIBLE}). They fail with {@link RpcException.ConnectionLost}
     * once the connection has ended. Closing the client does not close the connection.
     *
     * @param credential the identity of the caller of these calls, independent of the credentials
     *     of the forward direction (RFC 8167-8-1)
     */
    RpcClient client(Credential credential);

    /** Returns whether the connection is still open. */
    boolean isOpen();

    /**
     * Returns the length of the longest call message that this direction carries at present, in
     * bytes. A longer call throws an IllegalArgumentException before anything is sent.
     */
    default long callMax() {
        return Long.MAX_VALUE;
    }

    /**
     * Returns the address and port of this side to which the peer has connected; empty if the
     * transport does not tell.
     */
    default Optional<InetSocketAddress> localAddress() {
        return Optional.empty();
    }
}
