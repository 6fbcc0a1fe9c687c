package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What each client has of a server: connections, calls in progress, memory. A client at the bound
 * of its share waits, and makes no other wait.
 *
 * <p>Thread-safe. The lock is held for a few instructions, and while connections are looked
 * through; they are closed without it.
 */
final class ClientQuotas {
    /** Calls that each client may have in progress whatever the others have. */
    static final int CALLS_RESERVED = 2;

    /** A connection that counts for a client. What is asked of it takes no lock. */
    interface Connection {
        /** Whether calls of it are in progress. */
        boolean isBusy();

        /** When bytes moved last, in nanoseconds by the clock of the server. */
        long lastMoved();

        /** Whether it ended: then it waits for nothing any more. */
        boolean isClosed();

        /**
         * Ends it if its peer keeps it waiting for too long.
         *
         * @param nowNanos by the clock of the server
         */
        void closeIfOverdue(long nowNanos);

        /** Ends it. Not to be called with the lock. */
        void close();
    }

    private final int connectionsMax;
    private final int connectionsPerClientMax;
    private final int callsMax;
    private final int callsPerClientMax;
    private final long bytesPerClientMax;

    private final ReentrantLock lock = new ReentrantLock();

    /** Those that hold something; guarded by the lock, as all below. */
    private final Map<ClientAddress, Share> shares = new HashMap<>();

    private int connections;
    private int calls;

    /**
     * @param bytesPerClientMax memory of one client, in bytes
     */
    ClientQuotas(TcpRpcOptions options, long bytesPerClientMax) {
        this.connectionsMax = options.connectionsMax();
        this.connectionsPerClientMax = options.connectionsPerClientMax();
        this.callsMax = options.callsMax();
        this.callsPerClientMax = options.callsPerClientMax();
        this.bytesPerClientMax = bytesPerClientMax;
    }

    /** What one client has. */
    final class Share {
        private final ClientAddress client;
        private final Set<Connection> connected = new HashSet<>();
        private final Condition callMayStart = lock.newCondition();
        private final Condition memoryCameBack = lock.newCondition();
        private int waiting;
        private int calls;
        private long bytes;

        private Share(ClientAddress client) {
            this.client = client;
        }

        /**
         * Waits until one more call of the client may be in progress, and counts it.
         *
         * @return false if the connection ended meanwhile; then nothing is counted
         */
        boolean startCall(Connection connection) throws InterruptedException {
            lock.lock();
            boolean started = false;
            waiting++;
            try {
                while (!mayStart()) {
                    if (connection.isClosed()) {
                        return false;
                    }
                    callMayStart.await();
                }
                started = true;
                calls++;
                ClientQuotas.this.calls++;
                return true;
            } finally {
                waiting--;
                if (!started) {
                    // It may have been told of a place that it does not take.
                    wakeNext();
                }
                lock.unlock();
            }
        }

        private boolean mayStart() {
            return calls < callsPerClientMax
                    && (ClientQuotas.this.calls < callsMax || calls < CALLS_RESERVED);
        }

        /** A call that was counted is over. */
        void endCall() {
            lock.lock();
            try {
                calls--;
                ClientQuotas.this.calls--;
                wakeNext();
                removeIfEmpty();
            } finally {
                lock.unlock();
            }
        }

        /**
         * Waits until the client may hold so much more memory. It may always hold some, whatever
         * the length of one record.
         *
         * @return false if the connection ended meanwhile
         */
        boolean awaitRoom(Connection connection, long wanted) throws InterruptedException {
            lock.lock();
            try {
                while (bytes > 0 && wanted > bytesPerClientMax - bytes) {
                    if (connection.isClosed()) {
                        return false;
                    }
                    memoryCameBack.await();
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        /** Adds to the memory that the client holds; a negative number takes off. */
        void hold(long change) {
            if (change == 0) {
                return;
            }
            lock.lock();
            try {
                bytes += change;
                if (change < 0) {
                    memoryCameBack.signalAll();
                    removeIfEmpty();
                }
            } finally {
                lock.unlock();
            }
        }

        /**
         * Has the calls and records of the client that wait look whether their connection ended.
         */
        void wake() {
            lock.lock();
            try {
                callMayStart.signalAll();
                memoryCameBack.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private void removeIfEmpty() {
            if (connected.isEmpty() && calls == 0 && bytes == 0 && waiting == 0) {
                shares.remove(client, this);
            }
        }
    }

    /** Of the clients whose next call may start, wakes the one with the fewest in progress. */
    private void wakeNext() {
        shares.values().stream()
                .filter(each -> each.waiting > 0 && each.mayStart())
                .min(Comparator.comparingInt(each -> each.calls))
                .ifPresent(each -> each.callMayStart.signal());
    }

    /** The share of a client that may have one more connection; empty if it has too many. */
    Optional<Share> admit(ClientAddress client) {
        lock.lock();
        try {
            var share = shares.get(client);
            if (share == null) {
                return Optional.of(new Share(client));
            }
            return share.connected.size() < connectionsPerClientMax
                    ? Optional.of(share)
                    : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Counts a connection of a client that was admitted. The caller is the only thread that adds
     * connections.
     *
     * @return one that has to end for it; it is not counted any more
     */
    Optional<Connection> add(Share share, Connection connection) {
        lock.lock();
        try {
            var displaced =
                    connections >= connectionsMax
                            ? takeLongestIdle()
                            : Optional.<Connection>empty();
            shares.put(share.client, share);
            share.connected.add(connection);
            connections++;
            return displaced;
        } finally {
            lock.unlock();
        }
    }

    /** A connection has ended; harmless if it is not counted any more. */
    void remove(Share share, Connection connection) {
        lock.lock();
        try {
            if (share.connected.remove(connection)) {
                connections--;
            }
            share.removeIfEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The connection that ends when others need its place: of the client with the most connections
     * the one on which nothing moved for the longest time, one without calls in progress before
     * those with some. Of several such clients the one counts whose connection is idle for longest.
     * It is not counted any more.
     */
    Optional<Connection> takeLongestIdle() {
        lock.lock();
        try {
            int most =
                    shares.values().stream()
                            .mapToInt(each -> each.connected.size())
                            .max()
                            .orElse(0);
            return take(
                    shares.values().stream()
                            .filter(each -> each.connected.size() == most)
                            .toList());
        } finally {
            lock.unlock();
        }
    }

    /**
     * The connection that ends when memory is short: of the clients that hold at least half as much
     * as the one that holds the most, and more than a client that wants some, the one on which
     * nothing moved for the longest time, one without calls in progress first. It is not counted
     * any more.
     */
    Optional<Connection> takeFromLargest(Share wanting) {
        lock.lock();
        try {
            long most = shares.values().stream().mapToLong(each -> each.bytes).max().orElse(0);
            return take(
                    shares.values().stream()
                            .filter(each -> each.bytes > wanting.bytes && each.bytes >= most / 2)
                            .toList());
        } finally {
            lock.unlock();
        }
    }

    private Optional<Connection> take(List<Share> from) {
        Share owner = null;
        Connection taken = null;
        for (var share : from) {
            for (var each : share.connected) {
                if (taken == null || goesBefore(each, taken)) {
                    owner = share;
                    taken = each;
                }
            }
        }
        if (taken != null) {
            owner.connected.remove(taken);
            connections--;
        }
        return Optional.ofNullable(taken);
    }

    private static boolean goesBefore(Connection one, Connection other) {
        return one.isBusy() == other.isBusy()
                ? one.lastMoved() - other.lastMoved() < 0
                : other.isBusy();
    }

    /** All connections that are counted now. */
    List<Connection> connections() {
        lock.lock();
        try {
            var all = new ArrayList<Connection>(connections);
            shares.values().forEach(each -> all.addAll(each.connected));
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** How many connections are counted now. */
    int size() {
        lock.lock();
        try {
            return connections;
        } finally {
            lock.unlock();
        }
    }

    /** Clients that hold something now. */
    int clients() {
        lock.lock();
        try {
            return shares.size();
        } finally {
            lock.unlock();
        }
    }
}
