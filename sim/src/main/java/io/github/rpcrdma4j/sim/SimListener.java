package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Hands out the connect requests to its address.
 *
 * <p>Tests: {@code SimContractTest}, {@code SimWorldTest}.
 */
final class SimListener implements Listener {
    private final SimWorld world;
    private final InetSocketAddress address;
    private final ArrayDeque<Request> requests = new ArrayDeque<>();

    /** The requests without an answer, including those that were handed out. */
    private final List<Request> unanswered = new ArrayList<>();

    private boolean closed;

    SimListener(SimWorld world, InetSocketAddress address) {
        this.world = world;
        this.address = address;
    }

    /** A connect request from its start until the active side has the answer. */
    final class Request implements ConnectRequest {
        private final SimQueuePair active;
        private final InetSocketAddress from;
        private final byte[] privateData;
        private boolean answered;
        private boolean abandoned;
        private byte[] reply;
        private RdmaException refusal;

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
        public void accept(QueuePair queuePair, byte[] data) throws RdmaException {
            var local = (SimQueuePair) queuePair;
            local.requireInitialized();
            SimQueuePair.requireShort(data);
            answer();
            if (abandoned) {
                throw new RdmaException.ConnectionLost(
                        from + " no longer waits for an answer", null);
            }
            local.connected(active, from);
            byte[] copy = data.clone();
            local.arrive(() -> established(local, copy));
        }

        /**
         * Establishes the active side when the answer reaches it, before anything else that the
         * passive side sends.
         */
        private void established(SimQueuePair passive, byte[] data) {
            if (abandoned || active.state() != QueuePair.State.INITIALIZED) {
                world.after(world.transit(), () -> passive.fail("the peer gave up connecting"));
                return;
            }
            active.connected(passive, address);
            reply = data;
        }

        @Override
        public void reject(byte[] data) {
            SimQueuePair.requireShort(data);
            answer();
            refuse(new RdmaException.Rejected(address + " refuses", data));
        }

        private void refuse(RdmaException why) {
            world.after(world.transit(), () -> refusal = why);
        }

        private void drop() {
            if (!answered) {
                answered = true;
                refuse(
                        new RdmaException.ConnectionLost(
                                "the listener at " + address + " is closed", null));
            }
        }

        private void answer() {
            if (answered) {
                throw new IllegalStateException("the request was answered before");
            }
            answered = true;
        }

        /**
         * Records that the active side has stopped waiting, so that a later answer comes too late.
         */
        void abandon() {
            abandoned = true;
        }

        boolean isOver() {
            return reply != null || refusal != null;
        }

        /**
         * Returns the private data of the answer; null while there is no answer.
         *
         * @throws RdmaException if the request was refused
         */
        byte[] reply() throws RdmaException {
            if (refusal != null) {
                throw refusal;
            }
            return reply;
        }
    }

    void arrive(Request request) {
        if (closed) {
            request.drop();
            return;
        }
        unanswered.removeIf(each -> each.answered || each.abandoned);
        unanswered.add(request);
        requests.addLast(request);
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public Optional<ConnectRequest> accept(Duration timeout)
            throws RdmaException, InterruptedException {
        if (closed) {
            throw new RdmaException.ConnectionLost("the listener is closed", null);
        }
        if (requests.isEmpty() && !timeout.isZero()) {
            world.await(() -> closed || !requests.isEmpty(), timeout.toNanos());
        }
        return Optional.ofNullable(requests.pollFirst());
    }

    /** Returns zero: in a world no peer is too slow, and no request is malformed. */
    @Override
    public long turnedAway() {
        return 0;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        requests.clear();
        unanswered.forEach(Request::drop);
        unanswered.clear();
        world.unbind(address);
    }
}
