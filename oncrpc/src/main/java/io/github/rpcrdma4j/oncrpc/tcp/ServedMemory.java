package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The memory for the connections of a server. When the budget is used up, the server closes
 * connections of the largest clients, one after the other, and the requesting thread waits briefly.
 * Thread-safe.
 */
final class ServedMemory {
    private static final long TURN_NANOS = Duration.ofMillis(5).toNanos();
    private static final int TURNS_MAX = 200;

    /** The number of turns within which a closed connection returns its memory. */
    private static final int TURNS_PER_CONNECTION = 4;

    /** Closes a connection because others need its memory. */
    interface Eviction {
        void evict(ClientQuotas.Connection connection);
    }

    private final SegmentPool pool;
    private final ClientQuotas quotas;
    private final Eviction eviction;

    ServedMemory(SegmentPool pool, ClientQuotas quotas, Eviction eviction) {
        this.pool = pool;
        this.quotas = quotas;
        this.eviction = eviction;
    }

    /**
     * Leases memory, and counts it for the client. The caller subtracts it from the quota later.
     *
     * @throws BudgetExhaustedException if no memory was available for about one second
     */
    SegmentPool.Lease lease(ClientQuotas.Quota wanting, long bytes) throws InterruptedException {
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
     * Closes one connection if a number of bytes could not be leased, and waits up to 20 ms for its
     * memory.
     */
    void makeRoom(ClientQuotas.Quota wanting, long bytes) throws InterruptedException {
        for (int turn = 1; turn <= TURNS_PER_CONNECTION && !hasRoom(bytes); turn++) {
            relieve(wanting, turn);
        }
    }

    /** Returns whether a number of bytes can be leased now. */
    boolean hasRoom(long bytes) {
        var budget = pool.budget();
        // The second check examines all pools, and is slower.
        return bytes <= budget.limit() - budget.used() || budget.hasRoom(bytes);
    }

    private void relieve(ClientQuotas.Quota wanting, int turn) throws InterruptedException {
        if (turn % TURNS_PER_CONNECTION == 1) {
            quotas.evictFromLargest(wanting).ifPresent(eviction::evict);
        }
        LockSupport.parkNanos(TURN_NANOS);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
