package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.state.table.HostArrivals;
import io.github.rpcrdma4j.nfs.state.table.KnownHosts;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/**
 * The hosts that lock files by NLM, as clients without leases (XNFS, Version 3W, Chapters 10 and
 * 11). A host keeps its locks until it gives them up, or until it is known to have restarted.
 *
 * <pre>
 *   unknown --LOCK, SHARE--> known --restarts; is ended; has had nothing for a lease--> unknown
 * </pre>
 *
 * <p>The locks of a host at a file hang on an open without access, so that they look like those of
 * other clients. It is there while the host has locks of the file, wants some or waits for some.
 */
final class Hosts implements Clients.Departure {
    /** The principal of hosts. No client of version 4 has it. */
    private static final Principal PRINCIPAL = new Principal("host");

    /** The owner of the opens on which locks hang. */
    static final OpaqueName LOCKS = name("locks");

    private final Journal journal;
    private final Recovery recovery;
    private final Records records;
    private final Clients clients;
    private final Leases leases;
    private final Evictions evictions;
    private final Files files;
    private final Locks locks;
    private final Opens opens;
    private final HostStarts starts;
    private final HostShares shares;
    private final HostArrivals arrivals = new HostArrivals();

    /** The hosts with clients, and those that may still come back to reclaim. */
    private final KnownHosts known = new KnownHosts(this::isThere);

    Hosts(
            Journal journal,
            Recovery recovery,
            Records records,
            Clients clients,
            Leases leases,
            Evictions evictions,
            Files files,
            Locks locks,
            Opens opens) {
        this.journal = journal;
        this.recovery = recovery;
        this.records = records;
        this.clients = clients;
        this.leases = leases;
        this.evictions = evictions;
        this.files = files;
        this.locks = locks;
        this.opens = opens;
        for (var each : recovery.expected()) {
            HostName.of(each.owner()).ifPresent(known::add);
        }
        this.starts = new HostStarts(locks, files);
        this.shares = new HostShares(journal, recovery, evictions, files, opens);
    }

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Begins a call of a host that may get state: OK, GRACE, NO_GRACE, RECLAIM_BAD or NOSPC. */
    Outcome<ClientUse> enter(HostName host, boolean isReclaim, long freshId, Host from, long now) {
        if (!isReclaim && recovery.isGrace()) {
            return journal.refused(Nfs4Status.GRACE);
        }
        if (isReclaim && !recovery.expects(named(host))) {
            return journal.refused(
                    recovery.isGrace() ? Nfs4Status.RECLAIM_BAD : Nfs4Status.NO_GRACE);
        }
        var client = clients.confirmed(named(host));
        var sender = new Sender(PRINCIPAL, false, null, from, host.address());
        if (client == null) {
            var owner = new ClientOwner(0, host.ofClient());
            var added = clients.addHost(owner, freshId, sender, now);
            if (!added.isOk()) {
                return journal.refused(Nfs4Status.NOSPC);
            }
            client = added.client();
            known.add(host);
        }
        leases.renew(client, now);
        return journal.ok(new LeaseUse(client, sender));
    }

    Outcome<Long> arrived(HostName host, HostLock lock, int state, Host from) {
        long number = arrivals.add(host, lock, state, new HostPlace(from, host.address()));
        return number == 0 ? journal.refused(Nfs4Status.DELAY) : journal.ok(number);
    }

    Outcome<Void> decided(HostName host, long arrival) {
        arrivals.remove(host, arrival);
        return journal.ok(null);
    }

    /** LOCK. The status BLOCKED of NLM is DENIED with {@link LockOutcome.Awaited}. */
    Outcome<LockOutcome> lock(
            ClientUse use, HostLock lock, HostClaim claim, long arrival, long now) {
        var client = use.client();
        if (arrivals.isVoid(hostName(client), arrival)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        var may = may(client, claim.isReclaim());
        if (may != Nfs4Status.OK) {
            return journal.refused(may);
        }
        if (files.isGone(lock.file())) {
            return journal.refused(Nfs4Status.STALE);
        }
        var without = records.<LockOutcome>require(use);
        if (without.isPresent()) {
            return without.get();
        }
        boolean changes = lock.type() == LockMode.WRITE;
        if (opens.recallOthers(lock.file(), client, changes, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        var open = find(client, lock.file());
        if (open == null) {
            var full = evictions.forState(client, now);
            if (full != Nfs4Status.OK) {
                return journal.refused(Nfs4Status.NOSPC);
            }
            var call = new OpenCall(lock.file(), LOCKS, 0, 0, claim.isReclaim());
            open = files.add(client, call);
        }
        var range = lock.range();
        var call =
                new LockCall(
                        lock.file(),
                        lock.type(),
                        claim.isWaiting(),
                        claim.isReclaim(),
                        range.first(),
                        range.length(),
                        new LockCall.OfHost(claim, false));
        var wanted = wanted(client, lock);
        endWaitsOfOtherStarts(open.file, wanted.owner(), claim.state(), now);
        return lock(open, call, wanted, now);
    }

    /**
     * An owner asks for something. What it has waited for since another start could take the place
     * of that. Other owners of the host wait on: any of its users may send a LOCK with any number.
     */
    private void endWaitsOfOtherStarts(OpenFile file, StateOwner owner, int state, long now) {
        for (var each : file.waiters.all()) {
            int waiting = each.call.hostState();
            boolean isOfAnother = state != 0 && waiting != 0 && waiting != state;
            if (isOfAnother && each.wanted.owner().equals(owner)) {
                locks.cancel(each, now);
            }
        }
    }

    private Outcome<LockOutcome> lock(
            Open open, LockCall call, RangeLock<StateOwner> wanted, long now) {
        var outcome = locks.lock(open, call, wanted, now);
        return tidied(outcome, open, now);
    }

    private Nfs4Status may(Client client, boolean isReclaim) {
        if (client.isRemoved) {
            return Nfs4Status.DELAY;
        }
        return recovery.may(client, isReclaim);
    }

    private static RangeLock<StateOwner> wanted(Client client, HostLock lock) {
        return new RangeLock<>(new StateOwner(client.id, lock.owner()), lock.type(), lock.range());
    }

    private Open find(Client client, FileKey key) {
        return files.find(key, new StateOwner(client.id, LOCKS));
    }

    /** Adds what it takes to forget an open that is not needed any more. */
    <T> Outcome<T> tidied(Outcome<T> outcome, Open open, long now) {
        if (!isNeeded(open)) {
            files.close(open, now);
        }
        return journal.followed(outcome);
    }

    /**
     * Returns whether a host has locks by an open, or may get some, or whether the open is lost.
     */
    static boolean isNeeded(Open open) {
        var file = open.file;
        return open.isLost()
                || file.opens.get(new StateOwner(open.client.id, open.owner)) != open
                || !open.lockers.isEmpty()
                || file.questions.isOf(open)
                || file.waiters.isOf(open.client);
    }

    /** The kernel has answered about a lock, which may be of a host. */
    Outcome<LockOutcome> answered(Locks.Answered answered, long now) {
        var ask = answered.ask();
        if (!ask.open.client.isHost) {
            return answered.outcome();
        }
        if (answered.outcome().value() instanceof LockOutcome.Granted) {
            locks.settle(ask.open, ask.wanted.owner(), ask.wanted.range(), now);
        }
        return tidied(answered.outcome(), ask.open, now);
    }

    /**
     * It is the turn of a host that waits: asks once more. BAD_STATEID if it waits no more, or if
     * the kernel is asked already.
     */
    Outcome<LockOutcome> retry(Action.OfferLock offer, long now) {
        var client = clients.find(offer.clientId(), now);
        var open = client == null ? null : find(client, offer.file());
        var waiter = open == null ? null : open.file.waiters.find(offer.wanted());
        if (waiter == null
                || open.file.questions.of(open).stream().anyMatch(isFor(offer.wanted()))) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        boolean changes = offer.wanted().type() == LockMode.WRITE;
        if (opens.recallOthers(offer.file(), client, changes, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        return lock(open, waiter.call.offered(), waiter.wanted, now);
    }

    private static Predicate<KernelQuestion> isFor(RangeLock<StateOwner> wanted) {
        return ask -> ask.wanted.equals(wanted);
    }

    /** A host is about to be told of a lock. Returns whether it still has to be. */
    Outcome<Boolean> tell(long number) {
        var held = locks.held(number);
        if (held != null) {
            held.isTelling = true;
        }
        return journal.ok(held != null);
    }

    /** A host was told of a lock. Returns whether it has to be told again. */
    Outcome<Boolean> told(long number, GrantAnswer answer, long now) {
        var held = locks.held(number);
        if (held == null) {
            return journal.ok(false);
        }
        held.isTelling = false;
        return switch (answer) {
            case TAKEN -> settled(held, true, now);
            // Linux takes a lock once, and refuses the next call. So this may be about one that it
            // has taken by a call whose answer was lost.
            case REFUSED -> toldLast(number, now);
            case SILENT -> {
                held.isSilent = true;
                yield journal.ok(true);
            }
            case UNREACHABLE -> journal.ok(true);
        };
    }

    /** A host is not told any more. It may count on a lock that it has been told of. */
    Outcome<Boolean> toldLast(long number, long now) {
        var held = locks.held(number);
        return held == null ? journal.ok(false) : settled(held, held.mayBeTaken(), now);
    }

    private Outcome<Boolean> settled(KernelQuestion held, boolean isTaken, long now) {
        if (isTaken) {
            locks.take(held, now);
        } else {
            locks.giveUp(held.open, each -> each == held, now);
        }
        return tidied(journal.ok(false), held.open, now);
    }

    /** TEST: OK, DENIED or GRACE. */
    Outcome<LockOutcome> test(HostName host, HostLock lock, Host from, long now) {
        var client = clients.confirmed(named(host));
        long id = client == null ? 0 : client.id;
        var wanted = new RangeLock<>(new StateOwner(id, lock.owner()), lock.type(), lock.range());
        return locks.test(lock.file(), wanted, new HostPlace(from, host.address()), now);
    }

    /**
     * CANCEL. A lock that the host has not been told of is given back, and what the kernel is asked
     * for is not wanted any more.
     *
     * @return whether the host waited
     */
    Outcome<Boolean> cancel(HostName host, HostLock lock, long now) {
        boolean hasAsked = arrivals.giveUp(host, lock::equals);
        var client = clients.confirmed(named(host));
        var open = client == null ? null : find(client, lock.file());
        if (open == null) {
            return journal.ok(hasAsked);
        }
        boolean hasWaited = cancel(open, wanted(client, lock), now) || hasAsked;
        return tidied(journal.ok(hasWaited), open, now);
    }

    private boolean cancel(Open open, RangeLock<StateOwner> wanted, long now) {
        var waiter = open.file.waiters.find(wanted);
        if (waiter != null) {
            locks.cancel(waiter, now);
        }
        return locks.giveUp(open, isFor(wanted), now) || waiter != null;
    }

    /** UNLOCK: OK or LOCK_RANGE. */
    Outcome<Void> unlock(HostName host, FileKey file, OpaqueName owner, ByteRange range, long now) {
        arrivals.giveUp(
                host,
                lock ->
                        lock.file().equals(file)
                                && lock.owner().equals(owner)
                                && lock.range().without(range).isEmpty());
        var client = clients.confirmed(named(host));
        if (client != null) {
            leases.renew(client, now);
        }
        var open = client == null ? null : find(client, file);
        if (open == null) {
            return journal.ok(null);
        }
        var locker = open.lockers.get(owner);
        if (locker != null && !locks.unlock(locker, range, now)) {
            return journal.refused(Nfs4Status.LOCK_RANGE);
        }
        if (locker != null && !open.file.locks.isOwner(locker.owner)) {
            files.free(locker, now);
        }
        forgo(open, new StateOwner(client.id, owner), range, now);
        return tidied(journal.ok(null), open, now);
    }

    /**
     * An owner has unlocked a range. Linux does so, too, when a LOCK was interrupted: then that may
     * wait, as after a lost CANCEL, or it may be in progress.
     */
    private void forgo(Open open, StateOwner owner, ByteRange range, long now) {
        locks.settle(open, owner, range, now);
        locks.giveUp(
                open,
                ask ->
                        !ask.isHeld
                                && ask.wanted.owner().equals(owner)
                                && ask.wanted.range().without(range).isEmpty(),
                now);
        for (var type : LockMode.values()) {
            cancel(open, new RangeLock<>(owner, type, range), now);
        }
    }

    /** SHARE: OK, SHARE_DENIED, RECLAIM_CONFLICT, or a status of {@link #lock}. */
    Outcome<Void> share(
            ClientUse use,
            FileKey file,
            OpaqueName owner,
            HostShares.Share share,
            boolean isReclaim,
            long now) {
        var may = may(use.client(), isReclaim);
        if (may != Nfs4Status.OK) {
            return journal.refused(may);
        }
        var without = records.<Void>require(use);
        return without.isPresent()
                ? without.get()
                : shares.share(use.client(), file, owner, share, isReclaim, now);
    }

    /** UNSHARE. What is not there any more needs no end. */
    Outcome<Void> unshare(HostName host, FileKey file, OpaqueName owner, long now) {
        var client = clients.confirmed(named(host));
        if (client != null) {
            shares.unshare(client, file, owner, now);
        }
        return journal.ok(null);
    }

    /** Returns whether a notice of a restart is about a host that has, or may reclaim, anything. */
    boolean isKnown(HostRestart restart) {
        return known.meant(restart).isPresent();
    }

    /**
     * A host has restarted. One that has yet to reclaim keeps its record: it would reclaim nothing
     * that it does not know of, and if the notice is false, it loses nothing.
     *
     * @return how many have lost something
     */
    Outcome<Integer> restarted(HostRestart restart, long now) {
        var meant = known.meant(restart);
        meant.ifPresent(each -> arrivals.giveUpOthers(restart, each));
        var host = meant.map(each -> clients.confirmed(named(each))).orElse(null);
        if (host == null) {
            return journal.ok(0);
        }
        int before = host.held + host.ranges;
        if (HostStarts.hasAnyOf(host, restart.starts())) {
            starts.freeOthers(host, restart.starts(), now);
        } else {
            if (host.hasState()) {
                clients.noteLoss(host, Action.Loss.RESTARTED, host.held);
            }
            clients.depart(host, now);
        }
        return journal.ok(host.held + host.ranges < before ? 1 : 0);
    }

    private boolean isThere(HostName host) {
        return clients.confirmed(named(host)) != null || recovery.expects(named(host));
    }

    private static HostName hostName(Client client) {
        return HostName.of(client.owner.name()).orElseThrow();
    }

    @Override
    public void clientLeaves(Client client, long now) {
        if (client.isHost) {
            known.leave(hostName(client));
        }
    }

    /** The name has the address of the host. */
    private static ClientName named(HostName host) {
        return new ClientName(host.ofClient(), "");
    }
}
