package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Memory for the connections of a server. Where the budget is used up, connections of the client
 * that holds the most end, one after the other, and who wants some waits for a moment. Thread-safe.
 */
final class ServedMemory {
    private static final long TURN_NANOS = Duration.ofMillis(5).toNanos();
    private static final int TURNS_MAX = 200;

    /** A connection that ends gives its memory back within so many turns. */
    private static final int TURNS_PER_CONNECTION = 4;

    /** A connection ends because others need what it has. */
    interface Displacement {
        void end(ClientQuotas.Connection connection);
    }

    private final SegmentPool pool;
    private final ClientQuotas shares;
    private final Displacement displacement;

    ServedMemory(SegmentPool pool, ClientQuotas shares, Displacement displacement) {
        this.pool = pool;
        this.shares = shares;
        this.displacement = displacement;
    }

    /**
     * Leases memory, which counts for the client until it is taken off its share.
     *
     * @throws BudgetExhaustedException if there was none for a second
     */
    SegmentPool.Lease lease(ClientQuotas.Share wanting, long bytes) throws InterruptedException {
        for (int turn = 1; ; turn++) {
            try {
                var lease = pool.lease(bytes);
                wanting.hold(lease.whole().byteSize());
                return lease;
            } catch (BudgetExhaustedException none) {
                if (turn == TURNS_MAX) {
                    throw none;
                }
                relieve(wanting, turn);
            }
        }
    }

    /**
     * Has one connection end if so much could not be leased, and waits for it, but not for long.
     */
    void makeRoom(ClientQuotas.Share wanting, long bytes) throws InterruptedException {
        for (int turn = 1; turn <= TURNS_PER_CONNECTION && !hasRoom(bytes); turn++) {
            relieve(wanting, turn);
        }
    }

    private boolean hasRoom(long bytes) {
        var budget = pool.budget();
        // The second asks all pools.
        return bytes <= budget.limit() - budget.used() || budget.hasRoom(bytes);
    }

    private void relieve(ClientQuotas.Share wanting, int turn) throws InterruptedException {
        if (turn % TURNS_PER_CONNECTION == 1) {
            shares.takeFromLargest(wanting).ifPresent(displacement::end);
        }
        LockSupport.parkNanos(TURN_NANOS);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
