package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;

/**
 * A provider whose protection domains have many unused regions from the start, to measure their
 * cost.
 */
record CrowdedProvider(RdmaProvider provider, int regions) implements RdmaProvider {
    private static final int REGION_BYTES = 64;

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        var domain = provider.allocateProtectionDomain();
        var memory = Arena.ofAuto().allocate(REGION_BYTES);
        for (int i = 0; i < regions; i++) {
            domain.register(memory);
        }
        return domain;
    }

    @Override
    public CompletionQueue createCompletionQueue() {
        return provider.createCompletionQueue();
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return provider.createQueuePair(options);
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        return provider.listen(address);
    }
}
