package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.security.SecureRandom;
import java.util.function.Function;

/**
 * Soft-iWARP over TCP: what RDMA cards of that kind and the Linux {@code siw} driver speak.
 *
 * <p>A thread that polls stays awake for up to 50 microseconds before it sleeps, as long as peers
 * answer within that time and no other thread wants its processor. At most half of the processors
 * are kept awake so; where there is one, none is. A virtual thread stays awake only while no other
 * thread of the process waits.
 */
public final class IwarpProvider implements RdmaProvider {
    private final IwarpOptions options;
    private final SecureRandom random = new SecureRandom();
    private final CrcComplaints crcComplaints = new CrcComplaints();
    private final ScratchPool scratch = new ScratchPool();

    /** The provider that {@link java.util.ServiceLoader} finds. */
    public IwarpProvider() {
        this(IwarpOptions.DEFAULT);
    }

    public IwarpProvider(IwarpOptions options) {
        this.options = options;
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
        return new IwarpCompletionQueue();
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions queuePairOptions) {
        return new IwarpQueuePair(queuePairOptions, options, crcComplaints, scratch);
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        return listen(address, Function.identity());
    }

    @Override
    public Listener listen(InetSocketAddress address, Function<InetAddress, ?> clients)
            throws RdmaException {
        return IwarpListener.open(address, clients, options, ServerSocketChannel::accept);
    }
}
