package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.name;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: a host gets no lock that it has given up, whichever call overtakes the other. */
class HostArrivalsTest {
    private static final HostName A = new HostName("192.0.2.1", name("a"));
    private static final HostName B = new HostName("192.0.2.2", name("b"));
    private static final OpaqueName PROCESS = name("1:p");
    private static final HostLock WRITE = lock(LockMode.WRITE);
    private static final HostLock READ = lock(LockMode.READ);

    private final StateServer server = StateServer.start();

    private HostEvents hosts() {
        return server.state.hosts();
    }

    private static HostLock lock(LockMode type) {
        return new HostLock(FILE, PROCESS, type, new ByteRange(0, 9));
    }

    private void unlock(HostName host, long first, long last) {
        var range = new ByteRange(first, last);
        server.ok(hosts().unlock(host, FILE, PROCESS, range, server.now));
    }

    private boolean cancels(HostName host, HostLock lock) {
        return server.ok(hosts().cancel(host, lock, server.now));
    }

    private void nothingIsLeft() {
        assertEquals(List.of(), server.state.snapshots().locks(9));
        server.state
                .snapshots()
                .clients(9, server.now)
                .forEach(each -> assertEquals(0, each.states()));
        assertEquals(null, server.kernel.held(ByteRange.ALL));
    }

    /** The file of a LOCK is being opened, and later calls overtake it. */
    private long arrived(HostLock lock) {
        var from = new StateServer.TestHost(A.address());
        return server.ok(hosts().arrived(A, lock, 1, from, server.now));
    }

    private Outcome<LockOutcome> decided(long arrival, HostLock lock) {
        var from = new StateServer.TestHost(A.address());
        var use = server.ok(hosts().enter(A, false, server.fresh(), from, server.now));
        var claim = new HostClaim(1, false, null);
        Outcome<LockOutcome> outcome;
        do {
            outcome = server.run(hosts().lock(use, lock, claim, arrival, server.now));
        } while (outcome.isPostponed());
        server.ok(hosts().decided(A, arrival, server.now));
        return server.kernel.outcome(outcome);
    }

    @Test
    void aLockThatWasUnlockedSinceItsArrivalIsNotGranted() {
        long arrival = arrived(WRITE);
        unlock(A, 0, -1);
        server.refuses(Nfs4Status.DELAY, decided(arrival, WRITE));
        nothingIsLeft();
        assertInstanceOf(LockOutcome.Granted.class, server.ok(decided(arrived(WRITE), WRITE)));
    }

    @Test
    void aLockThatWasCancelledSinceItsArrivalIsNotGranted() {
        long arrival = arrived(WRITE);
        assertFalse(cancels(A, READ));
        assertFalse(cancels(B, WRITE));
        assertTrue(cancels(A, WRITE));
        assertFalse(cancels(A, WRITE));
        server.refuses(Nfs4Status.DELAY, decided(arrival, WRITE));
        nothingIsLeft();
    }

    @Test
    void aLockOfAnEarlierStartThatArrivedBeforeTheRestartIsNotGranted() {
        server.ok(decided(arrived(READ), READ));
        long early = arrived(WRITE);
        var restart = new HostRestart(A.address(), A.name(), Set.of(3));
        server.ok(hosts().restarted(restart, server.now));
        server.refuses(Nfs4Status.DELAY, decided(early, WRITE));
        nothingIsLeft();
    }

    @Test
    void aLockIsGrantedThoughPartsOrOtherOwnersWereUnlockedSinceItsArrival() {
        long arrival = arrived(WRITE);
        unlock(A, 0, 8);
        unlock(B, 0, -1);
        server.ok(hosts().unlock(A, FILE, name("2:p"), new ByteRange(0, 9), server.now));
        assertInstanceOf(LockOutcome.Granted.class, server.ok(decided(arrival, WRITE)));
    }

    @Test
    void aHostHasABoundedNumberOfLocksThatAreNotDecided() {
        int arrivals = 0;
        var from = new StateServer.TestHost(A.address());
        Outcome<Long> last;
        do {
            last = hosts().arrived(A, WRITE, 1, from, server.now);
            arrivals += last.isOk() ? 1 : 0;
        } while (last.isOk());
        server.refuses(Nfs4Status.DELAY, last);
        assertEquals(1024, arrivals);
        var other = new StateServer.TestHost(B.address());
        server.ok(hosts().arrived(B, WRITE, 1, other, server.now));
        server.ok(hosts().decided(A, 1, server.now));
        server.ok(hosts().decided(A, 2, server.now));
        arrived(WRITE);
    }
}
