package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The room for the calls that a gateway has passed on: a number of calls, and the bytes of their
 * replies. A call that finds no room waits until other calls end.
 *
 * <p>A client may hold as much as is free. So one client gets at most half of the room, and N
 * clients that hold all they can leave one part of N + 1 to the next. Of the waiting calls, one of
 * the client that holds least goes first; of clients that hold the same, the one that waits
 * longest. A call that wants more than half of the room counts as half, so that it can run, if its
 * client has no other call.
 *
 * <p>Thread-safe. A thread holds the lock for a few instructions, or while it searches the waiting
 * clients.
 */
final class CallRoom {
    private final int callsMax;
    private final long bytesMax;
    private final ReentrantLock lock = new ReentrantLock();

    /** The clients with calls that have room or wait. The lock guards the fields from here on. */
    private final Map<ClientAddress, Client> clients = new HashMap<>();

    private int calls;
    private long bytes;
    private int waiting;

    /** The number of calls that have begun to wait. */
    private long turns;

    /**
     * @param callsMax the most calls; at least 2
     * @param bytesMax the most bytes of replies; at least 2
     */
    CallRoom(int callsMax, long bytesMax) {
        this.callsMax = callsMax;
        this.bytesMax = bytesMax;
    }

    /** Returns room without limits, for the calls back of one server. */
    static CallRoom unlimited() {
        return new CallRoom(Integer.MAX_VALUE, Long.MAX_VALUE);
    }

    /** What one client holds, and its calls that wait. */
    private static final class Client {
        final ArrayDeque<Waiting> queue = new ArrayDeque<>();
        int calls;
        long bytes;
    }

    /** A call that waits. */
    private static final class Waiting {
        final long turn;
        final long bytes;
        final Condition changed;
        boolean isAdmitted;

        Waiting(long turn, long bytes, Condition changed) {
            this.turn = turn;
            this.bytes = bytes;
            this.changed = changed;
        }
    }

    /** The calls of one connection. Thread-safe. */
    final class Share {
        private final ClientAddress address;

        /** Guarded by the lock. */
        private boolean isEnded;

        private Share(ClientAddress address) {
            this.address = address;
        }

        /**
         * Waits until there is room for a call, and takes it.
         *
         * @param wanted the bytes of its reply
         * @return false if the connection has ended; then no room is taken
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        boolean take(long wanted) throws InterruptedException {
            lock.lock();
            try {
                if (tryTake(wanted)) {
                    return true;
                }
                var client = clients.computeIfAbsent(address, _ -> new Client());
                return await(client, new Waiting(turns++, counted(wanted), lock.newCondition()));
            } finally {
                lock.unlock();
            }
        }

        /**
         * Takes room for a call if there is some now.
         *
         * @param wanted the bytes of its reply
         * @return false if the call has to wait, or the connection has ended
         */
        boolean tryTake(long wanted) {
            long counted = counted(wanted);
            lock.lock();
            try {
                var client = clients.computeIfAbsent(address, _ -> new Client());
                boolean isTaken = !isEnded && client.queue.isEmpty() && fits(client, counted);
                if (isTaken) {
                    add(client, counted);
                }
                removeIfEmpty(client);
                return isTaken;
            } finally {
                lock.unlock();
            }
        }

        private boolean await(Client client, Waiting call) throws InterruptedException {
            client.queue.addLast(call);
            waiting++;
            boolean isTaken = false;
            try {
                while (!call.isAdmitted && !isEnded) {
                    call.changed.await();
                }
                isTaken = call.isAdmitted && !isEnded;
            } finally {
                if (!call.isAdmitted) {
                    client.queue.remove(call);
                    waiting--;
                    // The next call of the client may want less.
                    admit();
                } else if (!isTaken) {
                    CallRoom.this.give(client, call.bytes);
                }
                removeIfEmpty(client);
            }
            return isTaken;
        }

        /**
         * Gives back the room of a call.
         *
         * @param wanted the bytes for which it was taken
         */
        void give(long wanted) {
            lock.lock();
            try {
                var client = clients.get(address);
                CallRoom.this.give(client, counted(wanted));
                removeIfEmpty(client);
            } finally {
                lock.unlock();
            }
        }

        private void removeIfEmpty(Client client) {
            if (client.calls == 0 && client.queue.isEmpty()) {
                clients.remove(address, client);
            }
        }

        /** Makes the waiting calls of the connection give up, because it has ended. */
        void end() {
            lock.lock();
            try {
                isEnded = true;
                var client = clients.get(address);
                if (client != null) {
                    client.queue.forEach(each -> each.changed.signal());
                }
            } finally {
                lock.unlock();
            }
        }

        /** Returns whether the connection has ended. */
        boolean isEnded() {
            lock.lock();
            try {
                return isEnded;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns the share of a new connection. */
    Share share(ClientAddress client) {
        return new Share(client);
    }

    private long counted(long wanted) {
        return Math.clamp(wanted, 0, bytesMax / 2);
    }

    private boolean fits(Client client, long wanted) {
        return client.calls < callsMax - calls && client.bytes + wanted <= bytesMax - bytes - wanted
                || client.calls == 0 && calls < callsMax && wanted <= bytesMax - bytes;
    }

    private void add(Client client, long wanted) {
        client.calls++;
        client.bytes += wanted;
        calls++;
        bytes += wanted;
    }

    private void give(Client client, long given) {
        client.calls--;
        client.bytes -= given;
        calls--;
        bytes -= given;
        admit();
    }

    /** Admits the first calls of clients, as far as there is room. */
    private void admit() {
        while (waiting > 0) {
            var next =
                    clients.values().stream()
                            .filter(
                                    each ->
                                            !each.queue.isEmpty()
                                                    && fits(each, each.queue.getFirst().bytes))
                            .min(
                                    Comparator.comparingLong((Client each) -> each.bytes)
                                            .thenComparingInt(each -> each.calls)
                                            .thenComparingLong(each -> each.queue.getFirst().turn));
            if (next.isEmpty()) {
                return;
            }
            var client = next.get();
            var call = client.queue.removeFirst();
            waiting--;
            add(client, call.bytes);
            call.isAdmitted = true;
            call.changed.signal();
        }
    }

    /** Returns the number of calls that have room. */
    int calls() {
        lock.lock();
        try {
            return calls;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of calls that wait for room. */
    int waiting() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the bytes that calls have for their replies. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of clients with calls. */
    int clients() {
        lock.lock();
        try {
            return clients.size();
        } finally {
            lock.unlock();
        }
    }
}
