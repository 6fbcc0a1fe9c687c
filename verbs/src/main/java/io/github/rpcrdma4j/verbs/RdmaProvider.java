package io.github.rpcrdma4j.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;

/**
 * An implementation of RDMA. Providers are found by {@link ServiceLoader}; one that takes options
 * can also be constructed and passed along.
 *
 * <p>Thread-safe.
 */
public interface RdmaProvider {
    /** A short lower-case name: {@code iwarp}, {@code sim}. */
    String name();

    /** Makes a scope for memory regions. Handles of one domain mean nothing in another. */
    ProtectionDomain allocateProtectionDomain();

    /** Makes a queue on which work completes. */
    CompletionQueue createCompletionQueue();

    /**
     * Makes an unconnected queue pair, on which receives can be posted before it is connected.
     *
     * @throws IllegalArgumentException if the domain or the completion queue is of another provider
     */
    QueuePair createQueuePair(QueuePairOptions options);

    /**
     * Starts to listen; port 0 picks a free port.
     *
     * @throws RdmaException if the address cannot be bound
     */
    Listener listen(InetSocketAddress address) throws RdmaException;

    /**
     * Starts to listen, with a rule that tells which addresses are one client: peers that have not
     * said yet what they want are counted by it. A provider that does not count them ignores it.
     *
     * @param clients the client that an address belongs to, comparable by {@code equals}; called by
     *     the thread in {@link Listener#accept}
     * @throws RdmaException if the address cannot be bound
     */
    default Listener listen(InetSocketAddress address, Function<InetAddress, ?> clients)
            throws RdmaException {
        return listen(address);
    }

    /**
     * The provider that clients and servers of the process share if they are not given one: the
     * first that {@link ServiceLoader} finds, made when it is first asked for. What a provider has
     * learned about peers, and how many threads it lets look for what arrives, is then common to
     * all.
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

    /** The provider of that name on the module path or class path. */
    static Optional<RdmaProvider> find(String name) {
        return ServiceLoader.load(RdmaProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(name))
                .findFirst();
    }
}
