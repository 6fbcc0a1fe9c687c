package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A provider that counts what is asked of it. */
record CountedProvider(RdmaProvider provider, Tolls tolls, Map<QueuePair, CountedPair> pairs)
        implements RdmaProvider {
    CountedProvider(RdmaProvider provider, Tolls tolls) {
        this(provider, tolls, new ConcurrentHashMap<>());
    }

    private record Queue(CompletionQueue queue, CountedProvider provider)
            implements CompletionQueue {
        @Override
        public int poll(Collection<? super Completion> into, long timeoutNanos)
                throws InterruptedException {
            var completions = new ArrayList<Completion>();
            int count = queue.poll(completions, timeoutNanos);
            for (var completion : completions) {
                into.add(ofPair(completion, provider.pairs.get(completion.queuePair())));
            }
            return count;
        }

        private static Completion ofPair(Completion completion, QueuePair pair) {
            return new Completion(
                    pair,
                    completion.workRequestId(),
                    completion.operation(),
                    completion.status(),
                    completion.length(),
                    completion.invalidated(),
                    completion.invalidatedHandle());
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

    private record Door(Listener listener) implements Listener {
        @Override
        public InetSocketAddress address() {
            return listener.address();
        }

        @Override
        public Optional<ConnectRequest> accept(Duration timeout)
                throws RdmaException, InterruptedException {
            return listener.accept(timeout).map(Request::new);
        }

        @Override
        public long turnedAway() {
            return listener.turnedAway();
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    private record Request(ConnectRequest request) implements ConnectRequest {
        @Override
        public InetSocketAddress peer() {
            return request.peer();
        }

        @Override
        public byte[] privateData() {
            return request.privateData();
        }

        @Override
        public void accept(QueuePair queuePair, byte[] privateData) throws RdmaException {
            request.accept(((CountedPair) queuePair).pair(), privateData);
        }

        @Override
        public void reject(byte[] privateData) {
            request.reject(privateData);
        }
    }

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return provider.allocateProtectionDomain();
    }

    @Override
    public CompletionQueue createCompletionQueue() {
        return new Queue(provider.createCompletionQueue(), this);
    }

    /** Of a queue of this provider. */
    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        var pair =
                provider.createQueuePair(
                        new QueuePairOptions(
                                options.domain(),
                                ((Queue) options.completionQueue()).queue(),
                                options.sendQueueSize(),
                                options.receiveQueueSize(),
                                options.inboundReads(),
                                options.outboundReads(),
                                options.gatherMax()));
        var counted = new CountedPair(pair, tolls);
        pairs.put(pair, counted);
        return counted;
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        return new Door(provider.listen(address));
    }
}
