package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.sim.SimTap;
import io.github.rpcrdma4j.sim.SimWorld;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The provider of a simulated world for a server, which has threads of its own. The world runs only
 * within the client's thread. After each event it waits until the server is quiescent: each of its
 * threads waits for completions or connection requests, and there are none. So the server's work
 * takes no simulated time, and client and server never run at the same time. The world does not
 * wait for other threads of the server, which use no completion queue or listener.
 *
 * <p>Tests: {@code SimulatedEndsTest}.
 */
final class QuiescentProvider implements RdmaProvider {
    private static final long PATIENCE_SECONDS = 30;

    private final RdmaProvider provider;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /**
     * The completion queues and listeners, with one thread at each. The lock guards this list and
     * the fields of the wait points.
     */
    private final List<WaitPoint> waitPoints = new ArrayList<>();

    QuiescentProvider(SimWorld world, SimTap tap) {
        provider = world.provider(tap);
        world.agent(this::awaitQuiescence);
    }

    /**
     * Collects new completions and requests after an event, and waits until the server has
     * processed them.
     */
    private void awaitQuiescence() {
        lock.lock();
        try {
            for (var each : waitPoints) {
                each.collect();
            }
            changed.signalAll();
            long left = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (!waitPoints.stream().allMatch(WaitPoint::isQuiescent)) {
                if (left <= 0) {
                    throw new IllegalStateException("the server does not become quiescent");
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("interrupted within a simulated world", interrupted);
        } finally {
            lock.unlock();
        }
    }

    /** A completion queue or a listener, at which a thread of the server waits. */
    private abstract class WaitPoint {
        private boolean waiting;
        private boolean woken;

        WaitPoint() {
            lock.lock();
            try {
                waitPoints.add(this);
            } finally {
                lock.unlock();
            }
        }

        /** Takes new completions or requests of the world. */
        abstract void collect();

        abstract boolean isEmpty();

        boolean isQuiescent() {
            return waiting && !woken && isEmpty();
        }

        /**
         * Waits until there is a completion or a request, another thread wakes this one, or {@code
         * nanos} nanoseconds of real time have passed. The caller holds the lock.
         */
        void await(long nanos) throws InterruptedException {
            waiting = true;
            changed.signalAll();
            try {
                long left = nanos;
                while (isEmpty() && !woken && left > 0) {
                    left = changed.awaitNanos(left);
                }
            } finally {
                waiting = false;
                woken = false;
            }
        }

        void wake() {
            lock.lock();
            try {
                woken = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void leave() {
            lock.lock();
            try {
                waitPoints.remove(this);
                woken = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private final class PollPoint extends WaitPoint implements CompletionQueue {
        private final CompletionQueue queue = provider.createCompletionQueue();
        private final List<Completion> ready = new ArrayList<>();

        @Override
        void collect() {
            try {
                queue.poll(ready, 0);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }

        @Override
        boolean isEmpty() {
            return ready.isEmpty();
        }

        @Override
        public int poll(Collection<? super Completion> into, long timeoutNanos)
                throws InterruptedException {
            lock.lock();
            try {
                await(timeoutNanos);
                int count = ready.size();
                into.addAll(ready);
                ready.clear();
                return count;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void wakeup() {
            wake();
        }

        @Override
        public void close() {
            leave();
            queue.close();
        }
    }

    private final class AcceptPoint extends WaitPoint implements Listener {
        private final Listener listener;
        private Optional<ConnectRequest> request = Optional.empty();
        private boolean closed;

        AcceptPoint(Listener listener) {
            this.listener = listener;
        }

        @Override
        void collect() {
            try {
                if (request.isEmpty() && !closed) {
                    request = listener.accept(Duration.ZERO);
                }
            } catch (RdmaException | InterruptedException broken) {
                throw new IllegalStateException(broken);
            }
        }

        @Override
        boolean isEmpty() {
            return request.isEmpty();
        }

        @Override
        public InetSocketAddress address() {
            return listener.address();
        }

        @Override
        public Optional<ConnectRequest> accept(Duration timeout)
                throws RdmaException, InterruptedException {
            lock.lock();
            try {
                if (!closed) {
                    await(timeout.toNanos());
                }
                if (closed) {
                    throw new RdmaException.ConnectionLost("the listener is closed", null);
                }
                var taken = request;
                request = Optional.empty();
                return taken;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public long turnedAway() {
            return listener.turnedAway();
        }

        @Override
        public void close() {
            lock.lock();
            try {
                closed = true;
                leave();
                listener.close();
            } finally {
                lock.unlock();
            }
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
        return new PollPoint();
    }

    /** Creates a queue pair; its completion queue has to come from this provider. */
    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return provider.createQueuePair(
                new QueuePairOptions(
                        options.domain(),
                        ((PollPoint) options.completionQueue()).queue,
                        options.sendQueueSize(),
                        options.receiveQueueSize(),
                        options.inboundReads(),
                        options.outboundReads(),
                        options.gatherMax()));
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        return new AcceptPoint(provider.listen(address));
    }
}
