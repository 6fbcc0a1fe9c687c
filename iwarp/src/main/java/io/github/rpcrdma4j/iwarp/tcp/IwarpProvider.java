package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.ScratchPool;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * Soft-iWARP over TCP, the protocol of iWARP adapters and of the Linux {@code siw} driver.
 *
 * <p>A polling thread busy-polls before it sleeps ({@link IwarpOptions#idle}), as long as peers
 * answer within that time and no other thread wants its processor. A virtual thread busy-polls only
 * while no other thread of the provider waits. Providers share no state.
 */
public final class IwarpProvider implements RdmaProvider {
    private final IwarpOptions options;
    private final SecureRandom random = new SecureRandom();
    private final PeersWithWrongCrc peersWithWrongCrc = new PeersWithWrongCrc();
    private final ScratchPool scratch = new ScratchPool();
    private final BusyPollPermits permits;

    /** Makes the provider that {@link java.util.ServiceLoader} finds, with default options. */
    public IwarpProvider() {
        this(IwarpOptions.DEFAULT);
    }

    /** Makes a provider with these options. */
    public IwarpProvider(IwarpOptions options) {
        this.options = options;
        this.permits = new BusyPollPermits(options.idle().busyPollersMax());
    }

    @Override
    public String name() {
        return "iwarp";
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new SoftwareDomain(random);
    }

    @Override
    public CompletionQueue createCompletionQueue() {
        return new IwarpCompletionQueue(permits, Timeouts.nanos(options.idle().busyPoll()));
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions queuePairOptions) {
        return new IwarpQueuePair(queuePairOptions, options, peersWithWrongCrc, scratch);
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        return IwarpListener.open(address, Optional.empty(), options, ServerSocketChannel::accept);
    }

    @Override
    public Listener listen(InetSocketAddress address, PeerIdentifier identifier)
            throws RdmaException {
        return IwarpListener.open(
                address, Optional.of(identifier), options, ServerSocketChannel::accept);
    }
}
