package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.spi.ConnectionsByAddress;
import java.net.InetSocketAddress;
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
 * The connections, calls in progress and memory of each client of a server. A client at one of its
 * bounds waits, without delaying other clients.
 *
 * <p>Thread-safe. A thread holds the lock for a few instructions, or while it searches the
 * connections. It closes connections without the lock.
 */
final class ClientQuotas {
    /**
     * The calls that each client may have in progress even if the other clients use up the common
     * bound.
     */
    static final int CALLS_RESERVED = 2;

    /**
     * How many times as many calls of a client may hang as may be in progress. They have no replies
     * yet, but may have arguments, and memory for results.
     */
    static final int HANGING_FACTOR = 2;

    /** Likewise of all clients. */
    static final int HANGING_FACTOR_OF_ALL = 4;

    /**
     * A connection that counts for a client. {@link #quota}, {@link #address}, {@link #isBusy},
     * {@link #lastActivity} and {@link #isClosed} are called with the lock held, and take no lock.
     */
    interface Connection {
        /** Returns what the connection counts for; always the same. */
        Quota quota();

        /** Returns the address of the peer. */
        InetSocketAddress address();

        /** Returns whether calls on this connection are in progress. */
        boolean isBusy();

        /**
         * Returns when the connection last moved bytes, in nanoseconds by the clock of the server.
         */
        long lastActivity();

        /** Returns whether the connection has ended, so that its threads must stop waiting. */
        boolean isClosed();

        /**
         * Begins others in the places of calls that hang. Closes the connection if its peer has
         * been silent or slow for too long. Must not be called with the lock.
         *
         * @param nowNanos the time by the clock of the server
         */
        void look(long nowNanos);

        /** Closes the connection. Must not be called with the lock. */
        void close();
    }

    private final int connectionsMax;
    private final int connectionsPerClientMax;
    private final int callsMax;
    private final int callsPerClientMax;
    private final long bytesPerClientMax;

    private final ReentrantLock lock = new ReentrantLock();

    /**
     * The clients with connections, calls or memory. Guarded by the lock, like the fields below.
     */
    private final Map<ClientAddress, Quota> quotas = new HashMap<>();

    private int connections;

    /** Connections that count no longer, but had calls in progress then. */
    private final Set<Connection> ended = new HashSet<>();

    /** The calls in progress that do not hang. */
    private int calls;

    private int hanging;

    /**
     * @param bytesPerClientMax the most memory of one client, in bytes
     */
    ClientQuotas(TcpRpcOptions options, long bytesPerClientMax) {
        this.connectionsMax = options.connectionsMax();
        this.connectionsPerClientMax = options.connectionsPerClientMax();
        this.callsMax = options.callsMax();
        this.callsPerClientMax = options.callsPerClientMax();
        this.bytesPerClientMax = bytesPerClientMax;
    }

    /** The connections, calls and memory of one client. */
    final class Quota {
        private final ClientAddress client;
        private final Set<Connection> connected = new HashSet<>();
        private final Condition callMayStart = lock.newCondition();
        private final Condition memoryReleased = lock.newCondition();
        private int waiting;
        private int calls;
        private int hanging;
        private long bytes;

        private Quota(ClientAddress client) {
            this.client = client;
        }

        /**
         * Waits until one more call of the client may be in progress, and counts it.
         *
         * @return false if the connection ended meanwhile; then the call is not counted
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
                    // The call may have received a signal that it does not use, so another must get
                    // it.
                    wakeNext();
                }
                lock.unlock();
            }
        }

        /** Counts one more call of the client if it may be in progress now; returns whether. */
        boolean tryStartCall() {
            lock.lock();
            try {
                if (waiting > 0 || !mayStart()) {
                    return false;
                }
                calls++;
                ClientQuotas.this.calls++;
                return true;
            } finally {
                lock.unlock();
            }
        }

        private boolean mayStart() {
            return calls < callsPerClientMax
                    && (ClientQuotas.this.calls < callsMax || calls < CALLS_RESERVED);
        }

        /**
         * Counts a call as one that hangs, so that another one may be in progress: {@link
         * #HANGING_FACTOR} times as many as may be in progress of the client, and {@link
         * #HANGING_FACTOR_OF_ALL} times as many as of all.
         *
         * @return false if too many hang already; then the call counts as before
         */
        boolean countHanging() {
            lock.lock();
            try {
                if (hanging >= HANGING_FACTOR * callsPerClientMax
                        || ClientQuotas.this.hanging >= HANGING_FACTOR_OF_ALL * callsMax) {
                    return false;
                }
                hanging++;
                ClientQuotas.this.hanging++;
                calls--;
                ClientQuotas.this.calls--;
                wakeNext();
                return true;
            } finally {
                lock.unlock();
            }
        }

        /** Ends a call that was counted as one that hangs. */
        void endHanging() {
            lock.lock();
            try {
                hanging--;
                ClientQuotas.this.hanging--;
                removeIfEmpty();
            } finally {
                lock.unlock();
            }
        }

        /** Ends a counted call. */
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
         * Waits until the client may hold more memory. A client that holds none may always take any
         * amount, so a long record can make progress.
         *
         * @param wanted the additional memory, in bytes
         * @return false if the connection ended meanwhile
         */
        boolean awaitRoom(Connection connection, long wanted) throws InterruptedException {
            lock.lock();
            try {
                while (bytes > 0 && wanted > bytesPerClientMax - bytes) {
                    if (connection.isClosed()) {
                        return false;
                    }
                    memoryReleased.await();
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        /** Adds bytes to the memory that the client holds. A negative number subtracts. */
        void hold(long change) {
            if (change == 0) {
                return;
            }
            lock.lock();
            try {
                bytes += change;
                if (change < 0) {
                    memoryReleased.signalAll();
                    removeIfEmpty();
                }
            } finally {
                lock.unlock();
            }
        }

        /**
         * Wakes the client's waiting threads, so that they check whether their connection has
         * ended.
         */
        void wake() {
            lock.lock();
            try {
                callMayStart.signalAll();
                memoryReleased.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private ConnectionsByAddress<Connection> byAddress() {
            return new ConnectionsByAddress<>(connected, Connection::address);
        }

        private void removeIfEmpty() {
            if (connected.isEmpty() && calls == 0 && hanging == 0 && bytes == 0 && waiting == 0) {
                quotas.remove(client, this);
            }
        }
    }

    /** Wakes one waiting call that may start, of the client with the fewest calls in progress. */
    private void wakeNext() {
        quotas.values().stream()
                .filter(each -> each.waiting > 0 && each.mayStart())
                .min(Comparator.comparingInt(each -> each.calls))
                .ifPresent(each -> each.callMayStart.signal());
    }

    /**
     * The quota of a client that may have one more connection.
     *
     * @param displaced the connection that the caller must close in exchange; it no longer counts
     */
    record Admission(Quota quota, Optional<Connection> displaced) {}

    /**
     * Admits one more connection of a client. If it has too many, it takes out the longest idle one
     * of the address with the most. If none of that address is idle, it takes out a busy one, as
     * long as the address still has more than the asking one.
     *
     * @param address the address that asks
     * @return nothing if the client has too many, and none of them may be closed
     */
    Optional<Admission> admit(ClientAddress client, InetSocketAddress address) {
        lock.lock();
        try {
            var quota = quotas.get(client);
            if (quota == null) {
                return Optional.of(new Admission(new Quota(client), Optional.empty()));
            }
            if (quota.connected.size() < connectionsPerClientMax) {
                return Optional.of(new Admission(quota, Optional.empty()));
            }
            var byAddress = quota.byAddress();
            boolean mayBeBusy = byAddress.haveMoreThan(address);
            return evictOneOf(
                            byAddress.ofFullest().stream()
                                    .filter(each -> mayBeBusy || !each.isBusy())
                                    .toList())
                    .map(each -> new Admission(quota, Optional.of(each)));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Counts a connection of a client that was admitted. The caller is the only thread that adds
     * connections.
     *
     * @return the connection that the caller must close in exchange; it no longer counts
     */
    Optional<Connection> add(Connection connection) {
        lock.lock();
        try {
            var evicted =
                    connections >= connectionsMax
                            ? evictLongestIdle()
                            : Optional.<Connection>empty();
            var quota = connection.quota();
            quotas.put(quota.client, quota);
            quota.connected.add(connection);
            connections++;
            return evicted;
        } finally {
            lock.unlock();
        }
    }

    /** Removes an ended connection. Harmless if it no longer counts. */
    void remove(Connection connection) {
        lock.lock();
        try {
            var quota = connection.quota();
            uncount(connection);
            quota.removeIfEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes out the connection to close when another connection needs its slot. It is the longest
     * idle connection of the client with the most connections, at its address with the most.
     * Connections without calls in progress go before those with some. Among several such clients
     * and addresses, it is the longest idle connection of all of them. The connection no longer
     * counts.
     */
    Optional<Connection> evictLongestIdle() {
        lock.lock();
        try {
            int most =
                    quotas.values().stream()
                            .mapToInt(each -> each.connected.size())
                            .max()
                            .orElse(0);
            return evictOneOf(
                    quotas.values().stream()
                            .filter(each -> each.connected.size() == most)
                            .flatMap(each -> each.byAddress().ofFullest().stream())
                            .toList());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes out the connection to close when memory is short. The candidates are the clients that
     * hold more memory than the wanting client, and at least half as much as the largest one. Of
     * their connections it is the longest idle one; those without calls in progress go first. The
     * connection no longer counts.
     *
     * @param wanting the client that needs memory
     */
    Optional<Connection> evictFromLargest(Quota wanting) {
        lock.lock();
        try {
            long most = quotas.values().stream().mapToLong(each -> each.bytes).max().orElse(0);
            return evictOneOf(
                    quotas.values().stream()
                            .filter(each -> each.bytes > wanting.bytes && each.bytes >= most / 2)
                            .flatMap(each -> each.connected.stream())
                            .toList());
        } finally {
            lock.unlock();
        }
    }

    private Optional<Connection> evictOneOf(List<Connection> from) {
        Connection taken = null;
        for (var each : from) {
            if (taken == null || isEvictedBefore(each, taken)) {
                taken = each;
            }
        }
        if (taken != null) {
            uncount(taken);
        }
        return Optional.ofNullable(taken);
    }

    private void uncount(Connection connection) {
        if (connection.quota().connected.remove(connection)) {
            connections--;
        }
        if (connection.isBusy()) {
            ended.add(connection);
        }
    }

    private static boolean isEvictedBefore(Connection one, Connection other) {
        return one.isBusy() == other.isBusy()
                ? one.lastActivity() - other.lastActivity() < 0
                : other.isBusy();
    }

    /** Returns all counted connections. */
    List<Connection> connections() {
        lock.lock();
        try {
            var all = new ArrayList<Connection>(connections);
            quotas.values().forEach(each -> all.addAll(each.connected));
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the connections that count no longer, but whose calls in progress do. */
    List<Connection> ended() {
        lock.lock();
        try {
            ended.removeIf(each -> !each.isBusy());
            return List.copyOf(ended);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of counted connections. */
    int size() {
        lock.lock();
        try {
            return connections;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of clients with connections, calls or memory. */
    int clients() {
        lock.lock();
        try {
            return quotas.size();
        } finally {
            lock.unlock();
        }
    }
}
