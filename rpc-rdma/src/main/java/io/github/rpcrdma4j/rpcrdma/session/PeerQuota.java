package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The quota of one client: the connections, calls and memory that its connections hold together.
 * Thread-safe. Its lock is held only briefly, and no callback runs while it is held.
 *
 * <p>Tests: {@code PeerQuotasTest}, {@code PeerLimitsTest}.
 */
final class PeerQuota {
    private final Object client;
    private final PeerQuotas all;
    private final PeerLimits limits;
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private int connections;
    private int calls;
    private long bytes;

    /**
     * @param client a {@link ClientAddress}, or the {@link OwnKey} of the server
     */
    PeerQuota(Object client, PeerQuotas all) {
        this.client = client;
        this.all = all;
        this.limits = all.options().peerLimits();
    }

    /** The result of a request for quota. */
    enum Admission {
        ADMITTED,
        /** The client has reached a limit of its own. */
        CLIENT_IS_FULL,
        /** All clients together have reached a limit of the server. */
        SERVER_IS_FULL
    }

    /** Admits one more connection with its first receives, if the limits allow it. */
    synchronized Admission admit() {
        if (connections >= limits.connectionsMax()) {
            return Admission.CLIENT_IS_FULL;
        }
        var admission = takeReceives(all.options().sizes().firstReceiveMemory());
        if (admission == Admission.ADMITTED) {
            connections++;
        }
        return admission;
    }

    /** Takes memory for receives. The lock is held. */
    private Admission takeReceives(long wanted) {
        if (wanted > roomForReceives()) {
            return Admission.CLIENT_IS_FULL;
        }
        if (!all.takeReceives(wanted)) {
            return Admission.SERVER_IS_FULL;
        }
        bytes += wanted;
        return Admission.ADMITTED;
    }

    /**
     * Returns whether there is room for the later receives of a connection, without closing others.
     */
    synchronized boolean hasRoomForReceives() {
        long wanted = all.options().sizes().laterReceiveMemory();
        return wanted <= roomForReceives() && all.hasRoomForReceives(wanted);
    }

    /** Returns the room for receives, which leaves room for the largest call. The lock is held. */
    private long roomForReceives() {
        return all.share() - all.options().sizes().largestCall() - bytes;
    }

    /** Gives back the quota of an admitted connection that has ended. */
    void leave() {
        synchronized (this) {
            connections--;
        }
        giveReceives(all.options().sizes().firstReceiveMemory());
    }

    private void giveReceives(long given) {
        giveBack(0, given).forEach(Runnable::run);
        all.giveReceives(given);
    }

    private void giveCalls(int callsEnded, long given) {
        giveBack(callsEnded, given).forEach(Runnable::run);
        all.giveCall(given);
    }

    /** Reduces the quota held, and returns the callbacks of connections that may try again now. */
    private synchronized List<Runnable> giveBack(int callsEnded, long given) {
        calls -= callsEnded;
        bytes -= given;
        if (waiting.isEmpty()) {
            return List.of();
        }
        var resumed = List.copyOf(waiting);
        waiting.clear();
        return resumed;
    }

    /** Returns whose quota it is. */
    Object client() {
        return client;
    }

    /** Returns the address of the client; empty if it is this server itself. */
    Optional<ClientAddress> address() {
        return client instanceof ClientAddress address ? Optional.of(address) : Optional.empty();
    }

    /** Returns how many connections are open now. */
    synchronized int connections() {
        return connections;
    }

    /**
     * Returns whether calls of the client wait for calls of other connections of it. A single
     * connection waits for itself alone, and may be as slow as its network.
     */
    synchronized boolean isPressed() {
        return !waiting.isEmpty() && connections > 1;
    }

    /** Returns how many bytes are held now. */
    synchronized long bytes() {
        return bytes;
    }

    /** Returns whether nothing is held any more. */
    synchronized boolean isEmpty() {
        return connections == 0 && calls == 0 && bytes == 0;
    }

    /**
     * Returns a new share for one connection.
     *
     * @param resume called by any thread, without a lock of this quota, when a waiting call may try
     *     again
     */
    ConnectionQuota share(Runnable resume) {
        return new Share(resume);
    }

    private final class Share implements ConnectionQuota {
        private final Runnable resume;
        private boolean closed;

        /** The bytes taken for receives after the first ones. */
        private long receiveMemory;

        Share(Runnable resume) {
            this.resume = resume;
        }

        @Override
        public int firstReceives(int receives) {
            return Math.min(receives, all.options().sizes().firstReceives());
        }

        @Override
        public boolean takeReceives() {
            long wanted = all.options().sizes().laterReceiveMemory();
            while (true) {
                Admission admission;
                synchronized (PeerQuota.this) {
                    admission = PeerQuota.this.takeReceives(wanted);
                    if (admission == Admission.ADMITTED) {
                        receiveMemory += wanted;
                    }
                }
                if (admission == Admission.ADMITTED) {
                    return true;
                }
                if (!all.makeRoom(PeerQuota.this, admission, wanted)) {
                    return false;
                }
            }
        }

        @Override
        public boolean takeMoreReceives(long wanted) {
            synchronized (PeerQuota.this) {
                if (closed || PeerQuota.this.takeReceives(wanted) != Admission.ADMITTED) {
                    return false;
                }
                receiveMemory += wanted;
                return true;
            }
        }

        @Override
        public boolean isScarce() {
            long largest = all.options().sizes().largestCall();
            synchronized (PeerQuota.this) {
                return largest > all.shareNow() - bytes || !all.hasRoomForCall(largest);
            }
        }

        @Override
        public boolean take(long wanted) {
            boolean serverIsFull;
            synchronized (PeerQuota.this) {
                boolean clientIsFull = calls >= limits.callsMax() || wanted > most() - bytes;
                if (!clientIsFull && takeCall(wanted)) {
                    return true;
                }
                serverIsFull = !clientIsFull && !closed;
                if (clientIsFull && !closed) {
                    waiting.add(resume);
                }
            }
            if (serverIsFull && takeOrAwait(wanted)) {
                return true;
            }
            all.collect();
            return false;
        }

        @Override
        public void delayed() {
            all.delayed();
        }

        /** Takes quota for a call. The lock is held. */
        private boolean takeCall(long wanted) {
            if (!all.takeCall(wanted)) {
                return false;
            }
            calls++;
            bytes += wanted;
            return true;
        }

        private boolean takeOrAwait(long wanted) {
            all.total().register(resume);
            synchronized (PeerQuota.this) {
                if (closed || !takeCall(wanted)) {
                    return false;
                }
            }
            all.total().forget(resume);
            return true;
        }

        /**
         * Returns the most bytes that the client may hold. A client without another call may make
         * the largest call, however many clients wait.
         */
        private long most() {
            return calls == 0 ? all.share() : all.shareNow();
        }

        @Override
        public void hold(long held) {
            synchronized (PeerQuota.this) {
                bytes += held;
            }
            all.holdCall(held);
        }

        @Override
        public void answered(long given) {
            giveCalls(1, given);
        }

        @Override
        public void give(long given) {
            giveCalls(0, given);
        }

        @Override
        public void close() {
            synchronized (PeerQuota.this) {
                closed = true;
                waiting.remove(resume);
            }
            all.total().forget(resume);
            if (receiveMemory > 0) {
                giveReceives(receiveMemory);
                receiveMemory = 0;
            }
        }
    }
}
