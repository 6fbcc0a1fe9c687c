package io.github.rpcrdma4j.verbs;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * An implementation of RDMA. {@link ServiceLoader} finds providers. An application can also
 * construct a provider with options.
 *
 * <p>Thread-safe.
 */
public interface RdmaProvider {
    /** Returns a short lower-case name: {@code iwarp}, {@code rdma-core}, {@code sim}. */
    String name();

    /**
     * Returns whether the provider reaches every address that the system has a route to. One that
     * does not is used only where a program names it.
     */
    default boolean reachesEveryAddress() {
        return true;
    }

    /**
     * Returns whether peers may invalidate all handles of the provider with their Sends, because
     * all its windows are memory windows of type 2 (RFC 8797, Section 4.1).
     */
    default boolean allowsRemoteInvalidation() {
        return true;
    }

    /** Creates a scope for memory regions. Handles of one domain are not valid in another. */
    ProtectionDomain allocateProtectionDomain();

    /** Creates a queue on which work completes. */
    CompletionQueue createCompletionQueue();

    /**
     * Creates an unconnected queue pair, on which receives can be posted before it is connected.
     *
     * @throws IllegalArgumentException if the domain or the completion queue belongs to another
     *     provider
     */
    QueuePair createQueuePair(QueuePairOptions options);

    /**
     * Starts to listen. With port 0, the system chooses a free port.
     *
     * @throws RdmaException if the address cannot be bound
     */
    Listener listen(InetSocketAddress address) throws RdmaException;

    /**
     * Starts to listen, with what identifies peers. The provider counts the peers of each identity
     * that have not completed their connection setup, and {@link ConnectRequest#identity} returns
     * it. A provider whose connections are not TCP connections of this process ignores the
     * identifier.
     *
     * @param identifier the thread in {@link Listener#accept} calls it
     * @throws RdmaException if the address cannot be bound
     */
    default Listener listen(InetSocketAddress address, PeerIdentifier identifier)
            throws RdmaException {
        return listen(address);
    }

    /** Finds who is at the other end of TCP connections. */
    @FunctionalInterface
    interface PeerIdentifier {
        /**
         * Identifies the peer of a TCP connection that the calling thread has just accepted. No
         * other thread accepts from that listener, and this one accepts no other connection before
         * it returns.
         *
         * @param peer the address of the peer
         * @param local the address of this end
         * @return who the peer is, comparable by {@code equals}
         */
        Object identify(InetSocketAddress peer, InetSocketAddress local);
    }

    /**
     * Returns the provider that clients and servers of the process share by default: the first that
     * {@link ServiceLoader} finds and that {@linkplain #reachesEveryAddress reaches every address}.
     * The first call creates it. All its users then share its knowledge of peers and its bound on
     * busy polling threads.
     *
     * @throws IllegalStateException if there is no provider on the module path or class path
     */
    static RdmaProvider shared() {
        return SharedProvider.PROVIDER.orElseThrow(
                () ->
                        new IllegalStateException(
                                "no RDMA provider was found: put io.github.rpcrdma4j:iwarp on the"
                                        + " module path or class path"));
    }

    /**
     * Returns a new provider with a name, from the module path or class path; empty if there is
     * none.
     */
    static Optional<RdmaProvider> find(String name) {
        return ServiceLoader.load(RdmaProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(name))
                .findFirst();
    }
}
