package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Set;

/** A provider that counts what is asked of it. */
record CountedProvider(RdmaProvider provider, Tolls tolls) implements RdmaProvider {
    private record Domain(ProtectionDomain domain, Tolls tolls) implements ProtectionDomain {
        @Override
        public MemoryRegion register(MemorySegment memory, Set<Access> access) {
            tolls.registered();
            return domain.register(memory, access);
        }

        @Override
        public int registeredRegions() {
            return domain.registeredRegions();
        }

        @Override
        public void close() {
            domain.close();
        }
    }

    private record Queue(CompletionQueue queue, Tolls tolls) implements CompletionQueue {
        @Override
        public int poll(Collection<? super Completion> into, long timeoutNanos)
                throws InterruptedException {
            var completions = new ArrayList<Completion>();
            int count = queue.poll(completions, timeoutNanos);
            completions.forEach(tolls::completed);
            into.addAll(completions);
            return count;
        }

        @Override
        public void wakeup() {
            queue.wakeup();
        }

        @Override
        public void close() {
            queue.close();
        }
    }

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new Domain(provider.allocateProtectionDomain(), tolls);
    }

    @Override
    public CompletionQueue createCompletionQueue() {
        return new Queue(provider.createCompletionQueue(), tolls);
    }

    /** Of a domain and a queue of this provider. */
    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return provider.createQueuePair(
                new QueuePairOptions(
                        ((Domain) options.domain()).domain(),
                        ((Queue) options.completionQueue()).queue(),
                        options.sendQueueSize(),
                        options.receiveQueueSize(),
                        options.inboundReads(),
                        options.outboundReads(),
                        options.quietSends()));
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        return provider.listen(address);
    }
}
