package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which handler carries out the calls of a connection. An {@link RpcDispatcher} is the
 * handler of all its connections; a gateway has one for each. Thread-safe.
 */
public interface CallService {
    /**
     * Returns the handler of a new connection, before its first call is read.
     *
     * @param peer the connected peer
     * @throws IOException if the connection cannot be served; the transport closes it
     * @throws InterruptedException if the server stops
     */
    CallHandler connected(ServedPeer peer) throws IOException, InterruptedException;

    /**
     * Returns what finds who is at the other end of connections. By default, nobody is asked, and a
     * client is an address.
     */
    default PeerIdentifier identifier() {
        return PeerIdentifier.BY_ADDRESS;
    }

    /** Returns whether {@link #connected} may block. If so, it runs on a thread of its own. */
    default boolean mayBlock() {
        return true;
    }

    /**
     * Returns whether its handlers begin calls ({@link CallHandler#begin}). A transport then reads
     * each connection with a platform thread, which begins and answers calls without waking others.
     */
    default boolean beginsCalls() {
        return false;
    }

    /**
     * Returns what lets a transport take longer calls, for the line in the log about a call that is
     * too long. It follows a statement.
     */
    default String longerCalls() {
        return "";
    }

    /** Returns the bindings of the called programs: which data items may be placed directly. */
    default List<UpperLayerBinding> bindings() {
        return List.of();
    }

    /** Returns the flavors that are accepted for every call. */
    default Set<SecurityFlavor> flavors() {
        return EnumSet.allOf(SecurityFlavor.class);
    }
}
