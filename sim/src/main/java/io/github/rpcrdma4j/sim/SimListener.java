package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;

/** Hands out the connect requests that were made to its address. */
final class SimListener implements Listener {
    private final SimWorld world;
    private final InetSocketAddress address;
    private final ArrayDeque<ConnectRequest> requests = new ArrayDeque<>();
    private boolean closed;

    SimListener(SimWorld world, InetSocketAddress address) {
        this.world = world;
        this.address = address;
    }

    /** A request under way: what the active side waits for. */
    final class Request implements ConnectRequest {
        private final SimQueuePair active;
        private final InetSocketAddress from;
        private final byte[] privateData;
        private boolean answered;

        /** What came back: with a peer if it was accepted. */
        private SimQueuePair passive;

        private byte[] reply;

        Request(SimQueuePair active, InetSocketAddress from, byte[] privateData) {
            this.active = active;
            this.from = from;
            this.privateData = privateData.clone();
        }

        @Override
        public InetSocketAddress peer() {
            return from;
        }

        @Override
        public byte[] privateData() {
            return privateData.clone();
        }

        @Override
        public void accept(QueuePair queuePair, byte[] data) {
            answer();
            var local = (SimQueuePair) queuePair;
            local.connected(active, from);
            world.after(
                    world.delay(),
                    () -> {
                        passive = local;
                        reply = data.clone();
                    });
        }

        @Override
        public void reject(byte[] data) {
            answer();
            world.after(world.delay(), () -> reply = data.clone());
        }

        private void answer() {
            if (answered) {
                throw new IllegalStateException("the request was answered before");
            }
            answered = true;
        }

        SimQueuePair passive() {
            return passive;
        }

        /** The answer's private data; null as long as there is no answer. */
        byte[] reply() {
            return reply;
        }
    }

    void arrive(Request request) {
        if (!closed) {
            requests.addLast(request);
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public Optional<ConnectRequest> accept(Duration timeout) throws RdmaException {
        if (closed) {
            throw new RdmaException.ConnectionLost("the listener is closed", null);
        }
        if (requests.isEmpty() && !timeout.isZero()) {
            world.stepUntil(() -> !requests.isEmpty(), timeout.toNanos());
        }
        return Optional.ofNullable(requests.pollFirst());
    }

    @Override
    public void close() {
        closed = true;
        requests.clear();
        world.unbind(address);
    }
}
