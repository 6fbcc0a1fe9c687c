package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the connections of one client hold together. Thread-safe. Its lock is held for a few
 * instructions, and nothing is called meanwhile.
 */
final class PeerQuota {
    private final PeerQuotas all;
    private final PeerLimits limits;
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private int connections;
    private int calls;
    private long bytes;

    PeerQuota(PeerQuotas all) {
        this.all = all;
        this.limits = all.options().peerLimits();
    }

    /** What came of a wish. */
    enum Admission {
        ADMITTED,
        /** The client has what it may have. */
        CLIENT_IS_FULL,
        /** All clients together have. */
        SERVER_IS_FULL
    }

    /** Lets one more connection in, with its first receives, if that is within the limits. */
    synchronized Admission admit() {
        if (connections >= limits.connectionsMax()) {
            return Admission.CLIENT_IS_FULL;
        }
        var admission = takeReceives(all.options().sizes().firstReceiveBytes());
        if (admission == Admission.ADMITTED) {
            connections++;
        }
        return admission;
    }

    /** The lock is held. */
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

    /** Whether a connection finds room for its later receives without that any is made. */
    synchronized boolean hasRoomForReceives() {
        long wanted = all.options().sizes().laterReceiveBytes();
        return wanted <= roomForReceives() && all.hasRoomForReceives(wanted);
    }

    /** Receives leave room for the largest call; the lock is held. */
    private long roomForReceives() {
        return all.share() - all.options().sizes().largestCall() - bytes;
    }

    /** A connection that was let in is gone. */
    void leave() {
        synchronized (this) {
            connections--;
        }
        giveReceives(all.options().sizes().firstReceiveBytes());
    }

    private void giveReceives(long given) {
        giveBack(0, given).forEach(Runnable::run);
        all.giveReceives(given);
    }

    private void giveCalls(int callsEnded, long given) {
        giveBack(callsEnded, given).forEach(Runnable::run);
        all.giveCall(given);
    }

    /** Returns who may try again now. */
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

    /** Connections that are open now. */
    synchronized int connections() {
        return connections;
    }

    /** What is held now. */
    synchronized long bytes() {
        return bytes;
    }

    /** Whether nothing is held any more. */
    synchronized boolean isEmpty() {
        return connections == 0 && calls == 0 && bytes == 0;
    }

    /**
     * The share of one connection.
     *
     * @param resume called by any thread, with no lock of this quota, when a call that had to wait
     *     may be tried again
     */
    ConnectionQuota share(Runnable resume) {
        return new Share(resume);
    }

    private final class Share implements ConnectionQuota {
        private final Runnable resume;
        private boolean closed;

        /** What was taken for receives behind the first. */
        private long receiveBytes;

        Share(Runnable resume) {
            this.resume = resume;
        }

        @Override
        public int firstReceives(int receives) {
            return Math.min(receives, all.options().sizes().firstReceives());
        }

        @Override
        public boolean takeReceives() {
            long wanted = all.options().sizes().laterReceiveBytes();
            while (true) {
                Admission admission;
                synchronized (PeerQuota.this) {
                    admission = PeerQuota.this.takeReceives(wanted);
                    if (admission == Admission.ADMITTED) {
                        receiveBytes += wanted;
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
                receiveBytes += wanted;
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
            all.delayed();
            return false;
        }

        /** The lock is held. */
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

        /** A client with no other call may make the largest, however many clients wait. */
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
            if (receiveBytes > 0) {
                giveReceives(receiveBytes);
                receiveBytes = 0;
            }
        }
    }
}
