package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.v4.LeaseStanding.Work;
import io.github.rpcrdma4j.nfs.client.v4.v40.LeaseState;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: the keeper has work in time. Method: a clock that the test sets. */
@Timeout(60)
class LeaseStandingTest {
    private long now = 5;

    private final LeaseStanding standing =
            new LeaseStanding(
                    new SessionThreads() {
                        @Override
                        public long nanoTime() {
                            return now;
                        }

                        @Override
                        public void sleep(long nanos) {
                            throw new AssertionError("nothing waits");
                        }

                        @Override
                        public Condition condition(ReentrantLock lock) {
                            return lock.newCondition();
                        }

                        @Override
                        public Thread unstarted(String name, Runnable work) {
                            throw new AssertionError("there are no threads");
                        }

                        @Override
                        public RpcClient connect(Connector connector, Duration retry) {
                            throw new AssertionError("there are no connections");
                        }
                    });

    private void hold(Duration lease) {
        standing.introduced(1);
        standing.claimed(lease);
        assertTrue(standing.isHeld());
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void aLeaseIsRenewedAtHalfItsTime() throws Exception {
        hold(Duration.ofSeconds(10));
        pass(Duration.ofSeconds(5));
        assertEquals(Optional.of(Work.RENEWAL), standing.awaitWork());
        standing.renewed(now);
        standing.tidyUp();
        assertEquals(Optional.of(Work.TIDYING), standing.awaitWork());
        pass(Duration.ofMillis(4999));
        standing.tidyUp();
        assertEquals(Optional.of(Work.TIDYING), standing.awaitWork());
        pass(Duration.ofMillis(1));
        assertEquals(Optional.of(Work.RENEWAL), standing.awaitWork());
    }

    @Test
    void aLongLeaseIsRenewedEachHalfMinute() throws Exception {
        hold(Duration.ofSeconds(300));
        pass(Duration.ofSeconds(30));
        assertEquals(Optional.of(Work.RENEWAL), standing.awaitWork());
    }

    @Test
    void whatTheServerHasForgottenIsBroughtBackAtOnce() throws Exception {
        assertEquals(Optional.of(Work.RECOVERY), standing.awaitWork());
        hold(Duration.ofSeconds(10));
        standing.heard(Nfs4Status.STALE_CLIENTID, standing.now());
        assertFalse(standing.isHeld());
        assertEquals(Optional.of(Work.RECOVERY), standing.awaitWork());
        standing.introduced(2);
        assertFalse(standing.isHeld());
        assertEquals(Optional.of(Work.RECOVERY), standing.awaitWork());
        standing.claimed(Duration.ofSeconds(10));
        assertTrue(standing.isHeld());
        assertEquals(2, standing.clientId());
    }

    @Test
    void anAnswerToACallOfBeforeSaysNothing() {
        hold(Duration.ofSeconds(10));
        var before = standing.now();
        standing.introduced(2);
        standing.heard(Nfs4Status.EXPIRED, before);
        assertEquals(LeaseState.HELD, standing.state());
        standing.heard(Nfs4Status.EXPIRED, standing.now());
        assertEquals(LeaseState.EXPIRED, standing.state());
    }

    @Test
    void aCallMayBeRepeatedIfAConnectionWasMadeSinceItBegan() {
        standing.connected();
        var began = standing.now();
        assertFalse(standing.mayBeRepeated(began));
        standing.connected();
        assertTrue(standing.mayBeRepeated(began));
        assertFalse(standing.mayBeRepeated(standing.now()));
    }

    @Test
    void theKeeperEndsWithTheClient() throws Exception {
        standing.close();
        assertEquals(Optional.empty(), standing.awaitWork());
    }
}
