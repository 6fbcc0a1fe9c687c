package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

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

    private static final OpaqueName LOCKS = name("locks");

    private final Journal journal;
    private final Recovery recovery;
    private final Records records;
    private final Clients clients;
    private final Leases leases;
    private final Room room;
    private final Files files;
    private final Locks locks;
    private final Opens opens;

    /** The hosts at each address. */
    private final Map<String, List<Client>> byAddress = new HashMap<>();

    /** The hosts at each address that could reclaim when the server started. */
    private final Map<String, List<HostName>> earlier = new HashMap<>();

    Hosts(
            Journal journal,
            Recovery recovery,
            Records records,
            Clients clients,
            Leases leases,
            Room room,
            Files files,
            Locks locks,
            Opens opens) {
        this.journal = journal;
        this.recovery = recovery;
        this.records = records;
        this.clients = clients;
        this.leases = leases;
        this.room = room;
        this.files = files;
        this.locks = locks;
        this.opens = opens;
        for (var each : recovery.expected()) {
            HostName.of(each.owner())
                    .ifPresent(
                            host ->
                                    earlier.computeIfAbsent(host.address(), _ -> new ArrayList<>())
                                            .add(host));
        }
    }

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Begins a call of a host that may get state: OK, GRACE, NO_GRACE, RECLAIM_BAD or NOSPC. */
    Outcome<ClientUse> enter(
            HostName host, int state, boolean isReclaim, long freshId, Host from, long now) {
        if (!isReclaim && recovery.isGrace()) {
            return journal.refused(Nfs4Status.GRACE);
        }
        if (isReclaim && !recovery.expects(host.ofClient())) {
            return journal.refused(
                    recovery.isGrace() ? Nfs4Status.RECLAIM_BAD : Nfs4Status.NO_GRACE);
        }
        var client = clients.confirmed(host.ofClient());
        if (client == null) {
            var owner = new ClientOwner(0, host.ofClient());
            var added =
                    clients.addHost(owner, freshId, new Sender(PRINCIPAL, false, null, from), now);
            if (!added.isOk()) {
                return journal.refused(Nfs4Status.NOSPC);
            }
            client = added.client();
            byAddress.computeIfAbsent(host.address(), _ -> new ArrayList<>()).add(client);
        }
        leases.renew(client, now);
        client.hostState = state == 0 ? client.hostState : state;
        return journal.ok(new LeaseUse(client, from));
    }

    /** LOCK. The status BLOCKED of NLM is DENIED with {@link LockOutcome.Awaited}. */
    Outcome<LockOutcome> lock(
            ClientUse use,
            HostLock lock,
            boolean isWaiting,
            boolean isReclaim,
            GrantNote note,
            long now) {
        var client = use.client();
        var may = may(client, isReclaim);
        if (may != Nfs4Status.OK) {
            return journal.refused(may);
        }
        var without = records.<LockOutcome>require(use);
        if (without.isPresent()) {
            return without.get();
        }
        boolean changes = lock.type() == LockMode.WRITE;
        if (opens.recallOthers(lock.file(), client, changes, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        var open = find(client, lock.file(), LOCKS);
        if (open == null) {
            var full = room.forState(client, now);
            if (full != Nfs4Status.OK) {
                return journal.refused(Nfs4Status.NOSPC);
            }
            open = files.add(client, new OpenCall(lock.file(), LOCKS, 0, 0, isReclaim, null));
        }
        var range = lock.range();
        var call =
                new LockCall(
                        lock.file(),
                        lock.type(),
                        isWaiting,
                        isReclaim,
                        range.first(),
                        range.length(),
                        new LockCall.OfHost(note));
        return lock(open, call, wanted(client, lock), now);
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
        return isReclaim ? recovery.mayReclaim(client) : recovery.mayAcquire(client);
    }

    private static RangeLock<StateOwner> wanted(Client client, HostLock lock) {
        return new RangeLock<>(new StateOwner(client.id, lock.owner()), lock.type(), lock.range());
    }

    private Open find(Client client, FileKey key, OpaqueName owner) {
        var file = files.find(key);
        return file == null ? null : file.opens.get(new StateOwner(client.id, owner));
    }

    /** Adds what it takes to forget an open that is not needed any more. */
    <T> Outcome<T> tidied(Outcome<T> outcome, Open open, long now) {
        if (!isNeeded(open)) {
            files.close(open, now);
        }
        return journal.followed(outcome);
    }

    private static boolean isNeeded(Open open) {
        var file = open.file;
        return open.isLost()
                || file.opens.get(new StateOwner(open.client.id, open.owner)) != open
                || !open.lockers.isEmpty()
                || file.asks.isOf(open)
                || file.waiters.isOf(open.client);
    }

    /** The kernel has answered about a lock, which may be of a host. */
    Outcome<LockOutcome> answered(Locks.Answered answered, long now) {
        var open = answered.open();
        return open.client.isHost ? tidied(answered.outcome(), open, now) : answered.outcome();
    }

    /** It is the turn of a host that waits: asks once more. BAD_STATEID if it waits no more. */
    Outcome<LockOutcome> retry(Action.OfferLock offer, long now) {
        var client = clients.find(offer.clientId(), now);
        var open = client == null ? null : find(client, offer.file(), LOCKS);
        var waiter = open == null ? null : open.file.waiters.find(offer.wanted());
        if (waiter == null) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        boolean changes = offer.wanted().type() == LockMode.WRITE;
        if (opens.recallOthers(offer.file(), client, changes, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        return lock(open, waiter.call, waiter.wanted, now);
    }

    /** TEST: OK, DENIED or GRACE. */
    Outcome<LockOutcome> test(HostName host, HostLock lock, Host from, long now) {
        var client = clients.confirmed(host.ofClient());
        long id = client == null ? 0 : client.id;
        var wanted = new RangeLock<>(new StateOwner(id, lock.owner()), lock.type(), lock.range());
        return locks.test(lock.file(), wanted, from, now);
    }

    /** CANCEL. Returns whether the host waited. */
    Outcome<Boolean> cancel(HostName host, HostLock lock, long now) {
        var client = clients.confirmed(host.ofClient());
        var open = client == null ? null : find(client, lock.file(), LOCKS);
        var waiter = open == null ? null : open.file.waiters.find(wanted(client, lock));
        if (waiter == null) {
            return journal.ok(false);
        }
        locks.cancel(waiter, now);
        return tidied(journal.ok(true), open, now);
    }

    /** UNLOCK: OK or LOCK_RANGE. */
    Outcome<Void> unlock(HostName host, FileKey file, OpaqueName owner, ByteRange range, long now) {
        var client = clients.confirmed(host.ofClient());
        if (client != null) {
            leases.renew(client, now);
        }
        var open = client == null ? null : find(client, file, LOCKS);
        var locker = open == null ? null : open.lockers.get(owner);
        if (locker == null) {
            return journal.ok(null);
        }
        if (!locks.unlock(locker, range, now)) {
            return journal.refused(Nfs4Status.LOCK_RANGE);
        }
        if (!open.file.locks.isOwner(locker.owner)) {
            files.free(locker, now);
        }
        return tidied(journal.ok(null), open, now);
    }

    /** SHARE: OK, SHARE_DENIED, RECLAIM_CONFLICT, or a status of {@link #lock}. */
    Outcome<Void> share(
            ClientUse use,
            FileKey key,
            OpaqueName owner,
            Share share,
            boolean isReclaim,
            long now) {
        var client = use.client();
        var may = may(client, isReclaim);
        if (may != Nfs4Status.OK) {
            return journal.refused(may);
        }
        var without = records.<Void>require(use);
        if (without.isPresent()) {
            return without.get();
        }
        int access = share.access();
        int deny = share.deny();
        boolean changes = (access & Open.WRITE) != 0 || (deny & Open.READ) != 0;
        if (opens.recallOthers(key, client, changes, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        var own = find(client, key, shareOwner(owner));
        var file = files.find(key);
        if (file != null
                && file.conflicts(access, deny, own)
                && !opens.makeWay(file, access, deny, own, now)) {
            return journal.refused(
                    isReclaim ? Nfs4Status.RECLAIM_CONFLICT : Nfs4Status.SHARE_DENIED);
        }
        if (own != null) {
            files.close(own, now);
        }
        var full = room.forState(client, now);
        if (full != Nfs4Status.OK) {
            return journal.refused(Nfs4Status.NOSPC);
        }
        files.add(client, new OpenCall(key, shareOwner(owner), access, deny, isReclaim, null));
        if (isReclaim) {
            recovery.reclaimed(now);
        }
        return journal.granted(null, client);
    }

    /** UNSHARE. What is not there any more needs no end. */
    Outcome<Void> unshare(HostName host, FileKey key, OpaqueName owner, long now) {
        var client = clients.confirmed(host.ofClient());
        var open = client == null ? null : find(client, key, shareOwner(owner));
        if (open != null) {
            files.close(open, now);
        }
        return journal.ok(null);
    }

    private static OpaqueName shareOwner(OpaqueName owner) {
        byte[] bytes = owner.bytes();
        byte[] marked = new byte[bytes.length + 1];
        marked[0] = '=';
        System.arraycopy(bytes, 0, marked, 1, bytes.length);
        return OpaqueName.of(marked);
    }

    /** Returns whether a notice of a restart is about a host that has, or may reclaim, anything. */
    boolean isKnown(HostRestart restart) {
        return restart.meant(at(restart.address())).isPresent();
    }

    /**
     * A host has restarted. One that has yet to reclaim keeps its record: it would reclaim nothing
     * that it does not know of, and if the notice is false, it loses nothing.
     *
     * @return how many have lost something
     */
    Outcome<Integer> restarted(HostRestart restart, long now) {
        var meant = restart.meant(at(restart.address()));
        var host = meant.map(each -> clients.confirmed(each.ofClient())).orElse(null);
        if (host == null || restart.starts().contains(host.hostState)) {
            return journal.ok(0);
        }
        int lost = 0;
        if (host.hasState()) {
            clients.noteLoss(host, Action.Loss.RESTARTED);
            lost++;
        }
        clients.depart(host, now);
        return journal.ok(lost);
    }

    /** Returns the hosts at an address, and those that may still come back to reclaim there. */
    private Collection<HostName> at(String address) {
        var there = new LinkedHashSet<HostName>();
        byAddress.getOrDefault(address, List.of()).forEach(each -> there.add(hostName(each)));
        for (var each : earlier.getOrDefault(address, List.of())) {
            if (recovery.expects(each.ofClient())) {
                there.add(each);
            }
        }
        return there;
    }

    private static HostName hostName(Client client) {
        return HostName.of(client.owner.name()).orElseThrow();
    }

    @Override
    public void clientLeaves(Client client, long now) {
        if (client.isHost) {
            var address = hostName(client).address();
            byAddress.computeIfPresent(
                    address,
                    (_, there) -> {
                        there.remove(client);
                        return there.isEmpty() ? null : there;
                    });
        }
    }

    /** How a host uses a file, and what it denies others: bits of {@link Open}. */
    record Share(int access, int deny) {}
}
