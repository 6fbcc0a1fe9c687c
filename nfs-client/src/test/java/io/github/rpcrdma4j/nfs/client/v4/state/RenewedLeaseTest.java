package io.github.rpcrdma4j.nfs.client.v4.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RenewedLeaseTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long NOW = Long.MAX_VALUE - SECOND;

    private static Lease lease(int seconds) {
        var lease = new Lease(NOW);
        lease.last(Duration.ofSeconds(seconds));
        return lease;
    }

    @Test
    void itIsRenewedWhenHalfOfItHasPassedSinceACallWasSent() {
        var lease = lease(10);
        assertEquals(5 * SECOND, lease.untilDue(NOW));
        lease.renewed(NOW + 2 * SECOND);
        assertEquals(4 * SECOND, lease.untilDue(NOW + 3 * SECOND));
        // A reply that was overtaken.
        lease.renewed(NOW + SECOND);
        assertEquals(4 * SECOND, lease.untilDue(NOW + 3 * SECOND));
        assertEquals(0, lease.untilDue(NOW + 7 * SECOND));
    }

    @Test
    void aLongLeaseIsRenewedEachHalfMinute() {
        assertEquals(30 * SECOND, lease(90).untilDue(NOW));
    }

    @Test
    void anAttemptPutsTheNextOneOffButRenewsNothing() {
        var lease = lease(10);
        lease.asked(NOW + 6 * SECOND);
        assertEquals(5 * SECOND, lease.untilDue(NOW + 6 * SECOND));
        assertFalse(lease.mayHaveEnded(NOW + 10 * SECOND));
        assertTrue(lease.mayHaveEnded(NOW + 10 * SECOND + 1));
        lease.renewed(NOW + 9 * SECOND);
        assertFalse(lease.mayHaveEnded(NOW + 19 * SECOND));
    }

    @Test
    void aSessionBeginsWithAWholeLease() {
        var lease = lease(10);
        lease.begin(NOW + 20 * SECOND);
        assertFalse(lease.mayHaveEnded(NOW + 30 * SECOND));
        assertEquals(5 * SECOND, lease.untilDue(NOW + 20 * SECOND));
    }

    /** Also one that has just started, and has a grace period of four leases. */
    @Test
    void aServerMayWaitForItsClientsBehindAnIntroductionOnly() {
        var lease = lease(10);
        var first = lease.grace();
        assertTrue(first.mayLast(NOW, NOW + 20 * SECOND));
        assertFalse(first.mayLast(NOW, NOW + 20 * SECOND + 1));
        assertTrue(first.mayLast(NOW + 39 * SECOND, NOW + 40 * SECOND));
        assertFalse(first.mayLast(NOW + 39 * SECOND, NOW + 40 * SECOND + 1));
        // A session is not enough.
        lease.begin(NOW + 30 * SECOND);
        assertEquals(first, lease.grace());
        lease.introduced(NOW + 30 * SECOND);
        assertTrue(lease.grace().mayLast(NOW + 60 * SECOND, NOW + 70 * SECOND));
        assertFalse(lease.grace().mayLast(NOW + 60 * SECOND, NOW + 70 * SECOND + 1));
    }
}
