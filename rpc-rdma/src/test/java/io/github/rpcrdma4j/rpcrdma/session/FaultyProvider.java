package io.github.rpcrdma4j.rpcrdma.session;

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
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A provider in which an operation fails as often as the test configures. Thread-safe. */
final class FaultyProvider implements RdmaProvider {
    /** The operations that can fail. */
    enum At {
        ACCEPT,
        POLL,
        /** Creating a completion queue. */
        COMPLETION_QUEUE,
        /** Creating a queue pair. */
        QUEUE_PAIR,
        /** Waking the polling threads. */
        WAKEUP
    }

    private final RdmaProvider sound;
    private volatile At at;
    private volatile Supplier<? extends Throwable> fault;
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger openQueues = new AtomicInteger();
    private volatile ProtectionDomain lastDomain;
    private volatile boolean allowsRemoteInvalidation = true;
    private volatile boolean invalidates = true;
    private volatile QueuePair lastPair;

    FaultyProvider(RdmaProvider sound) {
        this.sound = sound;
    }

    /** Makes an operation fail {@code times} times from now on. */
    void fail(At where, int times, Supplier<? extends Throwable> by) {
        at = where;
        fault = by;
        failed.set(0);
        left.set(times);
    }

    /** Makes the provider one whose handles peers may not invalidate. */
    void forbidRemoteInvalidation() {
        allowsRemoteInvalidation = false;
    }

    /** Makes the memory windows of later queue pairs such that cannot be invalidated. */
    void forbidInvalidation() {
        invalidates = false;
    }

    /** Returns how many failures there were since {@link #fail}. */
    int failed() {
        return failed.get();
    }

    /** Returns how many completion queues are open. */
    int openQueues() {
        return openQueues.get();
    }

    /** Returns the protection domain that was allocated last. */
    ProtectionDomain lastDomain() {
        return lastDomain;
    }

    /** Returns the queue pair that was created last. */
    QueuePair lastPair() {
        return lastPair;
    }

    private void perhaps(At here) {
        if (at == here && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
            failed.incrementAndGet();
            FaultyProvider.<RuntimeException>raise(fault.get());
        }
    }

    /** Throws any exception, checked or unchecked. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable any) throws E {
        throw (E) any;
    }

    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public boolean allowsRemoteInvalidation() {
        return allowsRemoteInvalidation;
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        lastDomain = sound.allocateProtectionDomain();
        return lastDomain;
    }

    @Override
    public CompletionQueue createCompletionQueue() {
        perhaps(At.COMPLETION_QUEUE);
        var queue = new Queue(sound.createCompletionQueue());
        openQueues.incrementAndGet();
        return queue;
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        perhaps(At.QUEUE_PAIR);
        lastPair =
                sound.createQueuePair(
                        new QueuePairOptions(
                                options.domain(),
                                ((Queue) options.completionQueue()).sound,
                                options.sendQueueSize(),
                                options.receiveQueueSize(),
                                options.inboundReads(),
                                options.outboundReads(),
                                options.gatherMax()));
        return invalidates ? lastPair : new WatchedPair(lastPair, _ -> {}, StubbornWindow::new);
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        return listen(address, (peer, _) -> peer);
    }

    @Override
    public Listener listen(InetSocketAddress address, PeerIdentifier identifier)
            throws RdmaException {
        return new Door(sound.listen(address, identifier));
    }

    private final class Queue implements CompletionQueue {
        private final CompletionQueue sound;

        Queue(CompletionQueue sound) {
            this.sound = sound;
        }

        @Override
        public int poll(Collection<? super Completion> into, long timeoutNanos)
                throws InterruptedException {
            perhaps(At.POLL);
            return sound.poll(into, timeoutNanos);
        }

        @Override
        public void wakeup() {
            perhaps(At.WAKEUP);
            sound.wakeup();
        }

        @Override
        public void close() {
            sound.close();
            openQueues.decrementAndGet();
        }
    }

    private final class Door implements Listener {
        private final Listener sound;

        Door(Listener sound) {
            this.sound = sound;
        }

        @Override
        public InetSocketAddress address() {
            return sound.address();
        }

        @Override
        public Optional<ConnectRequest> accept(Duration timeout)
                throws RdmaException, InterruptedException {
            perhaps(At.ACCEPT);
            return sound.accept(timeout);
        }

        @Override
        public long turnedAway() {
            return sound.turnedAway();
        }

        @Override
        public long shortages() {
            return sound.shortages();
        }

        @Override
        public void close() {
            sound.close();
        }
    }
}
