package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.state.Grace;
import io.github.rpcrdma4j.nfs.client.v4.v40.LeaseState;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How a client of version 4.0 stands with its server, and what the keeper of its lease has to do
 * about it. Thread-safe.
 *
 * <p>Tests: {@code LeaseStandingTest}, {@code LostStateTest}.
 */
final class LeaseStanding {
    /** The longest time between two renewals, also of a long lease. */
    private static final long RENEWAL_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    private final SessionThreads threads;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when the keeper may have work. */
    private final Condition changed;

    /** Guarded by the lock, like the fields below. */
    private LeaseState state = LeaseState.FORGOTTEN;

    /** Whether something is left to claim since the client was introduced. */
    private boolean isUnclaimed;

    private long clientId;

    /** How often the client has introduced itself. */
    private int introductions;

    /** How many connections there have been. */
    private int connections;

    private long leaseNanos = TimeUnit.SECONDS.toNanos(2);

    /** When the client has introduced itself, by the clock of the threads. */
    private long introduced;

    /** When the lease was renewed, by the clock of the threads. */
    private long renewed;

    private boolean isUntidy;
    private boolean isClosed;

    LeaseStanding(SessionThreads threads) {
        this.threads = threads;
        this.changed = threads.condition(lock);
    }

    /**
     * When a call began.
     *
     * @param introductions how often the client had introduced itself
     * @param connections how many connections there had been
     */
    record Moment(int introductions, int connections) {}

    /** Returns the moment at which a call begins. */
    Moment now() {
        lock.lock();
        try {
            return new Moment(introductions, connections);
        } finally {
            lock.unlock();
        }
    }

    /** Takes note of an attempt to connect. */
    void connected() {
        lock.lock();
        try {
            connections++;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a call may have been sent more than once since it began. */
    boolean mayBeRepeated(Moment began) {
        lock.lock();
        try {
            return began.connections != connections;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how long a server that has restarted may wait for its clients. */
    Grace grace() {
        lock.lock();
        try {
            return Grace.of(leaseNanos, introduced);
        } finally {
            lock.unlock();
        }
    }

    /** Hears a status other than OK that answers a call which began at a moment. */
    void heard(Nfs4Status status, Moment began) {
        lock.lock();
        try {
            // What belongs to an earlier introduction says nothing of now.
            if (began.introductions == introductions) {
                state = state.after(status);
                if (!state.isIntroduced()) {
                    changed.signalAll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes note of an introduction of the client. */
    void introduced(long id) {
        lock.lock();
        try {
            clientId = id;
            introductions++;
            isUnclaimed = true;
            state = LeaseState.HELD;
            introduced = threads.nanoTime();
            renewed = introduced;
        } finally {
            lock.unlock();
        }
    }

    /** Takes note that nothing is left to claim. */
    void claimed(Duration time) {
        lock.lock();
        try {
            isUnclaimed = false;
            leaseNanos = time.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes note of a successful RENEW.
     *
     * @param since when it was sent, by the clock of the threads
     */
    void renewed(long since) {
        lock.lock();
        try {
            renewed = since;
            state = state.renewed();
        } finally {
            lock.unlock();
        }
    }

    /** Returns what is known of the lease. */
    LeaseState state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the server has the client, and all that it could claim. */
    boolean isHeld() {
        lock.lock();
        try {
            return state == LeaseState.HELD && !isUnclaimed;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the ID by which the server knows the client. */
    long clientId() {
        lock.lock();
        try {
            return clientId;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the keeper close what nobody uses. */
    void tidyUp() {
        lock.lock();
        try {
            isUntidy = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What the keeper of the lease does next. */
    enum Work {
        RENEWAL,
        RECOVERY,
        TIDYING
    }

    /**
     * Waits for work of the keeper.
     *
     * @return empty if the client was closed
     */
    Optional<Work> awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isClosed) {
                if (!state.isIntroduced() || isUnclaimed) {
                    return Optional.of(Work.RECOVERY);
                }
                if (isUntidy) {
                    isUntidy = false;
                    return Optional.of(Work.TIDYING);
                }
                long due =
                        renewed + Math.min(leaseNanos / 2, RENEWAL_NANOS_MAX) - threads.nanoTime();
                if (due <= 0) {
                    return Optional.of(Work.RENEWAL);
                }
                changed.awaitNanos(due);
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the work of the keeper. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
