package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static io.github.rpcrdma4j.nfs.state.StateServer.name;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.GrantNote;
import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: hosts of NLM have locks in the table of all, without leases. */
class HostsTest {
    private static final String ADDRESS = "192.0.2.1";
    private static final OpaqueName PROCESS = name("1:one");
    private static final HostName A = new HostName(ADDRESS, name("a"));
    private static final HostName B = new HostName("192.0.2.2", name("b"));

    private record Note(HostName host) implements GrantNote {}

    private final StateServer server = StateServer.start();

    private static HostLock range(LockMode type, long offset, long length) {
        return new HostLock(FILE, PROCESS, type, ByteRange.of(offset, length).orElseThrow());
    }

    private HostEvents hosts() {
        return server.state.hosts();
    }

    private Outcome<ClientUse> enter(HostName host, boolean isReclaim) {
        return server.run(
                hosts().enter(
                                host,
                                isReclaim,
                                server.fresh(),
                                new StateServer.TestHost(host.address()),
                                server.now));
    }

    private Outcome<LockOutcome> ask(
            HostName host, HostLock lock, boolean isWaiting, boolean isReclaim) {
        var use = server.ok(enter(host, isReclaim));
        var outcome = lock(use, lock, isWaiting, isReclaim);
        if (outcome.isPostponed()) {
            outcome = lock(use, lock, isWaiting, isReclaim);
        }
        return server.kernel.outcome(outcome);
    }

    private Outcome<LockOutcome> lock(
            ClientUse use, HostLock lock, boolean isWaiting, boolean isReclaim) {
        var claim = new HostClaim(1, isReclaim, isWaiting ? new Note(A) : null);
        return server.run(hosts().lock(use, lock, claim, 0, server.now));
    }

    private void locked(HostName host, HostLock lock) {
        assertInstanceOf(LockOutcome.Granted.class, server.ok(ask(host, lock, false, false)));
    }

    private boolean isFree(HostLock lock) {
        var other = new HostName("192.0.2.9", name("tester"));
        var outcome =
                server.run(
                        hosts().test(
                                        other,
                                        lock,
                                        new StateServer.TestHost(other.address()),
                                        server.now));
        return outcome.isOk();
    }

    private void unlock(HostName host, long offset, long length) {
        var range = ByteRange.of(offset, length).orElseThrow();
        server.ok(hosts().unlock(host, FILE, PROCESS, range, server.now));
    }

    private static final HostLock WRITE = range(LockMode.WRITE, 0, 10);

    @Test
    void locksOutliveTheTimeOfALease() {
        locked(A, WRITE);
        server.pass(100 * LEASE);
        server.pass(100 * LEASE);
        assertFalse(isFree(WRITE));
    }

    @Test
    void aHostWithoutLocksIsForgottenWithItsRecord() {
        locked(A, WRITE);
        assertEquals(1, server.records().size());
        unlock(A, 0, -1);
        assertEquals(1, server.records().size(), "it may soon lock again");
        server.pass(LEASE + SECOND);
        assertEquals(List.of(), server.records());
        assertEquals(List.of(), server.state.snapshots().clients(10, server.now));
    }

    @Test
    void theRecordIsThereBeforeTheFirstLock() {
        server.isFull = true;
        var use = server.ok(enter(A, false));
        var outcome = lock(use, WRITE, false, false);
        assertTrue(outcome.isPostponed());
        server.refuses(Nfs4Status.DELAY, lock(use, WRITE, false, false));
        assertTrue(isFree(WRITE));
    }

    @Test
    void aHostReclaimsAfterARestartUntilTheTimeIsOver() {
        locked(A, WRITE);
        server.restart();
        server.refuses(Nfs4Status.GRACE, enter(B, false));
        server.refuses(Nfs4Status.RECLAIM_BAD, enter(B, true));
        server.ok(ask(A, WRITE, false, true));
        server.refuses(Nfs4Status.GRACE, enter(A, false));
        server.pass(LEASE + SECOND);
        assertFalse(isFree(WRITE));
        server.refuses(Nfs4Status.NO_GRACE, enter(B, true));
        assertEquals(1, server.records().size());
    }

    private int restarted(String address, String name, Integer... starts) {
        var restart = new HostRestart(address, name(name), Set.of(starts));
        return server.ok(hosts().restarted(restart, server.now));
    }

    /** The notice may be false. One that is true is of a host that reclaims nothing. */
    @Test
    void aNoticeKeepsNoHostFromReclaiming() {
        locked(A, WRITE);
        server.restart();
        assertEquals(0, restarted(ADDRESS, "a", 3));
        assertEquals(1, server.records().size());
        server.ok(ask(A, WRITE, false, true));
    }

    @Test
    void aHostThatRestartsAfterItHasReclaimedDoesNotKeepTheGracePeriod() {
        locked(A, WRITE);
        server.restart();
        server.ok(ask(A, WRITE, false, true));
        assertTrue(server.state.isGrace());
        assertEquals(1, restarted(ADDRESS, "a", 3));
        assertFalse(server.state.isGrace());
        assertEquals(List.of(), server.records());
    }

    @Test
    void aRestartTakesTheLocksOfTheNamedHostAtTheAddress() {
        var neighbour = new HostName(ADDRESS, name("neighbour"));
        locked(A, WRITE);
        locked(neighbour, range(LockMode.WRITE, 20, 10));
        assertEquals(0, restarted(B.address(), "a", 3));
        assertEquals(1, restarted(ADDRESS, "a", 3));
        assertTrue(isFree(WRITE));
        assertFalse(isFree(range(LockMode.WRITE, 20, 10)));
        assertEquals(1, server.records().size());
    }

    @Test
    void theOperatorLearnsWhichHostHasLostItsLocks() {
        locked(A, WRITE);
        restarted(ADDRESS, "a", 3);
        var lost = server.actions(Action.StateLost.class).getLast();
        assertEquals(A.ofClient(), lost.client().name());
        assertEquals(Action.Loss.RESTARTED, lost.cause());
    }

    /** Each number may be that of the present start. */
    @Test
    void whatWasLockedSinceTheRestartStays() {
        locked(A, WRITE);
        assertEquals(0, restarted(ADDRESS, "a", 3, 1));
        assertFalse(isFree(WRITE));
        assertEquals(1, restarted(ADDRESS, "a", 3, 5));
    }

    /** Behind one address there may be several hosts. */
    @Test
    void aNoticeThatFitsSeveralHostsTakesNothing() {
        var other = new HostName(ADDRESS, name("a.example.org"));
        var third = new HostName(ADDRESS, name("a.example.com"));
        for (var each : List.of(other, third)) {
            locked(each, range(LockMode.READ, 0, 1));
        }
        for (var told : List.of("a", "A", ADDRESS, "a.example.net", "b", "")) {
            assertEquals(0, restarted(ADDRESS, told, 3), told);
        }
        assertEquals(1, restarted(ADDRESS, "a.example.org", 3));
        assertEquals(1, restarted(ADDRESS, "A", 3), "now there is one");
    }

    @Test
    void aHostThatMayYetReclaimCountsAmongThoseAtItsAddress() {
        var other = new HostName(ADDRESS, name("a.example.org"));
        var third = new HostName(ADDRESS, name("a.example.com"));
        for (var each : List.of(other, third)) {
            locked(each, range(LockMode.READ, 0, 1));
        }
        server.restart();
        server.ok(ask(other, range(LockMode.READ, 0, 1), false, true));
        assertEquals(0, restarted(ADDRESS, "a", 3));
        server.pass(LEASE + SECOND);
        assertEquals(1, restarted(ADDRESS, "a", 3), "the other one did not come back");
    }

    @Test
    void aHostThatWaitsIsOfferedTheLock() {
        locked(B, WRITE);
        var denied = ask(A, WRITE, true, false);
        assertEquals(Nfs4Status.DENIED, denied.status());
        assertInstanceOf(LockOutcome.Awaited.class, denied.value());
        assertEquals(List.of(), server.actions(Action.OfferLock.class));
        server.run(hosts().unlock(B, FILE, PROCESS, ByteRange.ALL, server.now));
        var offer = server.actions(Action.OfferLock.class).getLast();
        assertEquals(new Note(A), offer.note());
        server.refuses(Nfs4Status.DENIED, ask(B, range(LockMode.READ, 0, 1), false, false));
        var asked = server.ok(hosts().retry(offer, server.now));
        var held = server.kernel.outcome(((LockOutcome.Asked) asked).number());
        assertInstanceOf(LockOutcome.Held.class, server.ok(held));
        assertFalse(isFree(WRITE));
        server.refuses(Nfs4Status.BAD_STATEID, hosts().retry(offer, server.now));
    }

    @Test
    void anOfferThatIsNotTakenComesAgain() {
        locked(B, WRITE);
        ask(A, WRITE, true, false);
        unlock(B, 0, 10);
        server.pass(4 * SECOND);
        assertEquals(2, server.actions(Action.OfferLock.class).size());
        server.pass(100 * LEASE);
        assertEquals(3, server.actions(Action.OfferLock.class).size(), "however long it takes");
    }

    @Test
    void aHostThatCancelsWaitsNoMore() {
        locked(B, WRITE);
        ask(A, WRITE, true, false);
        assertFalse(server.ok(hosts().cancel(B, WRITE, server.now)));
        assertFalse(server.ok(hosts().cancel(A, range(LockMode.READ, 0, 10), server.now)));
        assertTrue(server.ok(hosts().cancel(A, WRITE, server.now)));
        assertFalse(server.ok(hosts().cancel(A, WRITE, server.now)));
        unlock(B, 0, 10);
        assertEquals(List.of(), server.actions(Action.OfferLock.class));
        assertEquals(1, server.actions(Action.CloseFile.class).size(), "nothing is left");
    }

    /** It counts on being called, so none of its requests is forgotten for another one. */
    @Test
    void aHostBeyondItsShareOfWaitersDoesNotWait() {
        server.limits =
                StateLimits.DEFAULTS.withLocks(
                        new LockLimits(64, 1000, 100, 100, 16, 64, 64, 4, 64, SECOND));
        server.restart();
        locked(B, WRITE);
        for (int i = 0; i < 4; i++) {
            assertInstanceOf(
                    LockOutcome.Awaited.class,
                    ask(A, range(LockMode.WRITE, i, 1), true, false).value());
        }
        server.refuses(Nfs4Status.NOSPC, ask(A, range(LockMode.WRITE, 4, 1), true, false));
        unlock(B, 0, 10);
        assertEquals(4, server.actions(Action.OfferLock.class).size());
    }

    /** One address with ever new names, and one host with ever new ranges. */
    @Test
    void noAddressTakesAllLocks() {
        server.limits =
                StateLimits.DEFAULTS.withLocks(
                        new LockLimits(64, 200, 100, 1000, 16, 64, 64, 4, 64, SECOND));
        server.restart();
        int hosts = 0;
        while (true) {
            var host = new HostName(ADDRESS, name("" + hosts));
            var lock = range(LockMode.READ, 0, 1);
            if (ask(host, lock, false, false).status() == Nfs4Status.NOSPC) {
                break;
            }
            hosts++;
        }
        assertTrue(hosts >= 4 && hosts <= 50, "hosts of one address: " + hosts);
        int ranges = 0;
        while (ask(B, range(LockMode.READ, 2L * ranges, 1), false, false).isOk()) {
            ranges++;
        }
        assertTrue(ranges >= 4 && ranges <= 50, "ranges of one host: " + ranges);
        var third = new HostName("192.0.2.3", name("third"));
        locked(third, range(LockMode.READ, 0, 1));
        assertEquals(
                Nfs4Status.NOSPC,
                ask(B, range(LockMode.READ, 1 << 20, 1), true, false).status(),
                "a wait needs no room of its own");
    }

    private Outcome<Void> share(HostName host, int owner, int access, int deny) {
        var use = server.ok(enter(host, false));
        var name = name("" + owner);
        var outcome = hosts().share(use, FILE, name, access, deny, false, server.now);
        return server.run(outcome).isPostponed()
                ? server.run(hosts().share(use, FILE, name, access, deny, false, server.now))
                : outcome;
    }

    @Test
    void aHostGetsNothingOfAFileThatIsNotServedAnyMore() {
        locked(A, WRITE);
        server.ok(server.state.revocations().store(FILE.store(), server.now));
        server.refuses(Nfs4Status.STALE, ask(A, WRITE, false, false));
        server.refuses(Nfs4Status.STALE, share(A, 1, Open.READ, 0));
        assertEquals(List.of(), server.state.snapshots().opens(9));
        server.ok(server.state.revocations().closed(FILE.store(), server.now));
        locked(B, WRITE);
    }

    private int sharesUntilFull(HostName host) {
        int owner = 0;
        while (share(host, owner, Open.READ, 0).isOk()) {
            owner++;
        }
        server.refuses(Nfs4Status.NOSPC, share(host, owner, Open.READ, 0));
        return owner;
    }

    /** Another host has taken some since then, so it has more than its share. */
    @Test
    void aHostWithoutRoomForMoreSharesCanChangeOne() {
        server.limits = SharesTest.limits(1 << 20, 400 << 10);
        server.restart();
        assertTrue(sharesUntilFull(A) > 10 && sharesUntilFull(B) > 10);
        server.ok(share(A, 0, Open.READ | Open.WRITE, 0));
        server.refuses(Nfs4Status.SHARE_DENIED, share(B, 0, Open.READ, Open.WRITE));
    }

    @Test
    void noClientOfVersion4TakesTheNameOfAHost() {
        var client = server.stranger("NLM host " + ADDRESS + " a");
        server.refuses(Nfs4Status.CLID_INUSE, client.exchangeId(0));
        server.refuses(
                Nfs4Status.CLID_INUSE,
                server.state
                        .version0()
                        .setClientId(
                                new ClientOwner(1, client.name),
                                null,
                                server.fresh(),
                                server.fresh(),
                                client.sender(),
                                server.now));
    }

    @Test
    void anAdministratorEndsAHost() {
        locked(A, WRITE);
        var status = server.state.snapshots().clients(10, server.now).getFirst();
        assertTrue(status.isRecorded());
        assertEquals(
                1,
                server.ok(server.state.revocations().client(status.clientId(), server.now))
                        .ranges());
        assertTrue(isFree(WRITE));
        assertEquals(List.of(), server.records());
        assertEquals(List.of(), server.state.snapshots().clients(10, server.now));
    }

    @Test
    void aLockRecallsTheDelegationsInItsWay() {
        var client = server.client("client").answering();
        client.delegated("owner", 2);
        server.refuses(Nfs4Status.DELAY, ask(A, WRITE, false, false));
        assertEquals(1, server.actions(Action.Recall.class).size());
    }

    @Test
    void nothingIsLeftOfAHostThatUnlocksAll() {
        locked(A, WRITE);
        locked(A, range(LockMode.READ, 20, 5));
        unlock(A, 0, -1);
        assertEquals(1, server.actions(Action.CloseLocks.class).size());
        assertEquals(1, server.actions(Action.CloseFile.class).size());
        assertEquals(0, server.state.snapshots().clients(10, server.now).getFirst().states());
    }

    @Test
    void namesOfHostsAreReadBack() {
        assertEquals(Optional.of(A), HostName.of(A.ofClient()));
        assertEquals(Optional.empty(), HostName.of(name("NLM host 192.0.2.1")));
        assertEquals(Optional.empty(), HostName.of(name("NLM host  a")));
        assertEquals(Optional.empty(), HostName.of(name("Linux NFSv4.2 a")));
        assertThrows(IllegalArgumentException.class, () -> new HostName("1 2", name("a")));
        assertThrows(
                IllegalArgumentException.class,
                () -> new HostName(ADDRESS, name("x".repeat(HostName.NAME_MAX + 1))));
    }

    /** The kernel does not tell when a local process has unlocked. */
    @Test
    void aHostThatWaitsForALocalProcessIsOfferedTheLock() {
        server.kernel.lockLocally(LockMode.WRITE, WRITE.range());
        assertInstanceOf(LockOutcome.Awaited.class, ask(A, WRITE, true, false).value());
        server.kernel.unlockLocally(WRITE.range());
        server.pass(4 * SECOND);
        var offer = server.actions(Action.OfferLock.class).getLast();
        var asked = (LockOutcome.Asked) server.ok(hosts().retry(offer, server.now));
        assertInstanceOf(LockOutcome.Held.class, server.ok(server.kernel.outcome(asked.number())));
    }
}
