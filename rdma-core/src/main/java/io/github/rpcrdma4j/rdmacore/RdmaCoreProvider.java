package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * RDMA with one adapter of Linux: InfiniBand, RoCE or iWARP.
 *
 * <p>It needs libibverbs.so.1 and librdmacm.so.1 of rdma-core, and native access for this module.
 * All its methods but {@link #name} and {@link #reachesEveryAddress} throw an {@link
 * IllegalStateException} with one line for a user if there is no library, no adapter, or none with
 * a known ABI.
 *
 * <p>It reaches the peers to which its adapter routes; {@link Adapter#routeTo} tells which adapter
 * routes to an address. Both ends of a connection need one transport: an iWARP adapter also reaches
 * soft-iWARP in Java, a RoCE adapter does not. The private data of a connect request has at most 56
 * bytes on InfiniBand and RoCE and 251 on iWARP. That of an answer that accepts has 196 and 251,
 * and that of a rejection 148 and 251.
 */
public final class RdmaCoreProvider implements RdmaProvider {
    private static final long BUSY_POLL_NANOS =
            Runtime.getRuntime().availableProcessors() == 1 ? 0 : TimeUnit.MICROSECONDS.toNanos(20);

    /** The name of the adapter; empty for the first one. */
    private final String adapter;

    /** Makes the provider that {@link java.util.ServiceLoader} finds: with the first adapter. */
    public RdmaCoreProvider() {
        this("");
    }

    /**
     * Makes a provider with an adapter.
     *
     * @param adapter the name of the adapter: {@code mlx5_0}, {@code siw0}
     */
    public RdmaCoreProvider(String adapter) {
        this.adapter = adapter;
    }

    @Override
    public String name() {
        return "rdma-core";
    }

    @Override
    public boolean reachesEveryAddress() {
        return false;
    }

    @Override
    public boolean allowsRemoteInvalidation() {
        return device().hasWindows;
    }

    private Device device() {
        var all = Devices.all();
        return all.stream()
                .filter(each -> adapter.isEmpty() || each.name.equals(adapter))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        Adapter.unusable()
                                                .orElse("there is no adapter " + adapter)));
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new AdapterDomain(device());
    }

    @Override
    public CompletionQueue createCompletionQueue() {
        device();
        return new AdapterCompletionQueue(BUSY_POLL_NANOS);
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        if (!(options.domain() instanceof AdapterDomain domain)
                || !(options.completionQueue() instanceof AdapterCompletionQueue queue)
                || domain.device != device()) {
            throw new IllegalArgumentException(
                    "the domain or the completion queue belongs to another provider");
        }
        return new AdapterQueuePair(options, domain, queue);
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        return AdapterListener.open(device(), address);
    }
}
