package io.github.rpcrdma4j.nfs.client.service;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * For what the calls of clients wait, and since when, so that a program can tell its user. The
 * clients of one {@link ClientOptions} share one. Thread-safe.
 *
 * <p>Tests: {@code WaitsTest}, {@code WaitsOfClientsTest}, {@code WatchedConnectorTest}.
 */
public final class Waits {
    /** What calls wait for, that which causes the others first. */
    public enum Reason {
        /** A lost connection is made again. */
        CONNECTION("the connection is lost, and is made again"),
        /**
         * The server has forgotten this client, which introduces itself, and claims what it had.
         */
        RECOVERY("what was open is brought back to the server"),
        /** The server has restarted, and waits for the claims of its clients. */
        GRACE("the server restarted, and waits for its clients"),
        /** The server asks to try again later. */
        BUSY("the server is busy"),
        /** Another client holds a lock. */
        LOCK("another client holds the lock"),
        /**
         * The server has answered none of the calls that it has. This lasts from the first of them,
         * or from the last answer.
         */
        SILENT("the server does not answer");

        private final String words;

        Reason(String words) {
            this.words = words;
        }

        /** Returns what is going on, for a user. */
        public String words() {
            return words;
        }
    }

    /**
     * What calls wait for.
     *
     * @param lasted how long calls have waited for it without a break
     */
    public record Wait(Reason reason, Duration lasted) {}

    private static final Reason[] REASONS = Reason.values();

    /** How often it is looked for answers. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when a first call begins to wait, or a last one goes on; not for answers. */
    private final Condition changed = lock.newCondition();

    /** By reason, how many calls wait, and since when; guarded by the lock. */
    private final int[] calls = new int[REASONS.length];

    private final long[] since = new long[REASONS.length];

    /** Nothing waits at first. */
    public Waits() {
        this(System::nanoTime);
    }

    Waits(LongSupplier clock) {
        this.clock = clock;
    }

    /** The wait of one call. Used by one thread at a time. */
    public final class Begun implements AutoCloseable {
        private Reason reason;

        private Begun() {}

        /** Waits for something, in place of what it waited for before. */
        public void on(Reason next) {
            if (reason != next) {
                count(next, 1);
                close();
                reason = next;
            }
        }

        /** Goes on. It may wait again. */
        @Override
        public void close() {
            if (reason != null) {
                count(reason, -1);
                reason = null;
            }
        }
    }

    /** Returns what a call uses. It waits for nothing at first. */
    public Begun ofCall() {
        return new Begun();
    }

    /** Returns a wait that has begun. */
    public Begun begin(Reason reason) {
        var begun = new Begun();
        begun.on(reason);
        return begun;
    }

    private void count(Reason reason, int more) {
        lock.lock();
        try {
            int at = reason.ordinal();
            boolean isAnswer = reason == Reason.SILENT;
            if (calls[at] == 0 || isAnswer && more < 0) {
                since[at] = clock.getAsLong();
            }
            calls[at] += more;
            if (!isAnswer) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns what calls wait for now; of several, what causes the others. */
    public Optional<Wait> now() {
        lock.lock();
        try {
            for (var each : REASONS) {
                if (calls[each.ordinal()] > 0) {
                    return Optional.of(new Wait(each, lasted(each)));
                }
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private Duration lasted(Reason reason) {
        return Duration.ofNanos(clock.getAsLong() - since[reason.ordinal()]);
    }

    /** Waits until calls have waited for one thing for a time. */
    public Wait awaitLasting(Duration least) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                var now = now();
                var left = now.map(each -> least.minus(each.lasted()));
                if (left.isPresent() && !left.get().isPositive()) {
                    return now.get();
                }
                // Nothing is signalled for each call that is sent.
                changed.awaitNanos(left.orElse(least).toNanos());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no call waits for something any more, or the server has answered one. */
    public void awaitEnd(Reason reason) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            int at = reason.ordinal();
            long begun = since[at];
            while (calls[at] > 0 && since[at] == begun) {
                changed.awaitNanos(LOOK_NANOS);
            }
        } finally {
            lock.unlock();
        }
    }
}
