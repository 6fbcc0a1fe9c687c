package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import java.net.InetSocketAddress;

/** A connected client, as the handler of its calls sees it. Thread-safe. */
public interface ServedPeer {
    /** Returns the address of the client. */
    InetSocketAddress address();

    /** Returns who the client was found to be when its connection was accepted. */
    PeerIdentity identity();

    /**
     * Returns whether the client connects as a privileged process does: from a port below 1024, or
     * on a transport whose port says nothing. Servers on Linux trust all clients on RDMA in this.
     */
    boolean isPrivileged();

    /** Returns the transport for calls to the client on its connection. */
    RpcTransport reverse();

    /**
     * Runs an action once, when the connection has ended. If it has ended already, the action runs
     * now. The action must not wait.
     */
    void whenEnded(Runnable action);

    /**
     * Returns whether the client has closed the connection in order. False if the transport cannot
     * tell, or knows of a message that was under way.
     */
    default boolean hasLeftInOrder() {
        return false;
    }

    /**
     * Closes the connection. Closing twice is harmless.
     *
     * @param reason one line for the operator
     */
    void close(String reason);
}
