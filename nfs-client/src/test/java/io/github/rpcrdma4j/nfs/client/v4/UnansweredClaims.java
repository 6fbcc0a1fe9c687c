package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import org.junit.jupiter.api.Test;

/**
 * Goal: when a claim after a restart of the server had no answer, no file stays open, and no lock
 * stays or is missing. Method: a client at the state of the product's server, in virtual time; the
 * replies to claims are lost. Runs with random faults found these.
 */
abstract class UnansweredClaims extends SimulatedClient {
    private static final long DOWN = SimServer.SECOND / 10;

    /** A call is sent twice. */
    private static final int ATTEMPTS = 2;

    private static final LockRange FIRST = new LockRange(0, 10);
    private static final LockRange SECOND = new LockRange(20, 10);

    UnansweredClaims(NfsVersion version) {
        super(version);
    }

    /** Restarts the server, and waits until it takes the claim of an open. */
    private void restart() throws InterruptedException {
        server.restart(DOWN, true, false);
        threads.await(() -> server.claims > 0, 9 * SimServer.SECOND);
        assertEquals(1, server.claims);
    }

    @Test
    void aFileThatIsClosedDuringItsClaimIsClosedLater() {
        simulate(
                () -> {
                    var open = open();
                    faults.loseReplies(Opcode.OPEN, ATTEMPTS);
                    restart();
                    open.close();
                });
    }

    @Test
    void aFileThatIsClosedAfterItsClaimIsClosedLater() {
        simulate(
                () -> {
                    var open = open();
                    faults.loseReplies(Opcode.OPEN, ATTEMPTS);
                    restart();
                    threads.sleep(SimServer.SECOND / 20);
                    open.close();
                });
    }

    @Test
    void allLocksAreClaimedAgain() {
        simulate(
                () -> {
                    try (var open = open()) {
                        assertTrue(lock(open, FIRST, true));
                        assertTrue(lock(open, SECOND, true));
                        faults.loseReplies(Opcode.LOCK, ATTEMPTS);
                        restart();
                        requireLocked(2);
                        write(open, 1);
                    }
                });
    }

    @Test
    void aFileThatIsClosedAfterTheClaimOfItsLockIsClosedLater() {
        simulate(
                () -> {
                    var open = open();
                    assertTrue(lock(open, FIRST, true));
                    faults.loseReplies(Opcode.LOCK, ATTEMPTS);
                    restart();
                    threads.await(
                            () -> server.state.snapshots().counts().ranges() > 0, SimServer.SECOND);
                    Thread.currentThread().interrupt();
                    open.close();
                    assertTrue(Thread.interrupted());
                });
    }

    /** The stateid of the locks of before is of no use any more. */
    @Test
    void aLockAfterARestartDoesNotOpenTheFileOnceMore() {
        simulate(
                () -> {
                    try (var open = open()) {
                        assertTrue(lock(open, FIRST, true));
                        service.unlock(open, FIRST, "unlock");
                        restart();
                        int opens = server.received.get(Opcode.OPEN);
                        assertTrue(lock(open, FIRST, true));
                        assertEquals(opens, server.received.get(Opcode.OPEN));
                    }
                });
    }
}
