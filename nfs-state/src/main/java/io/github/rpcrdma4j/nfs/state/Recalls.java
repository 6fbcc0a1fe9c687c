package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.state.table.DueByPlace;
import io.github.rpcrdma4j.nfs.state.table.Lateness;
import io.github.rpcrdma4j.nfs.state.table.Recent;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Recalls delegations from clients when others need the files (RFC 8881, Section 10.4). A client
 * has the time of a lease to return one that others need; then it loses it. What others have waited
 * counts for the place of the client:
 *
 * <ul>
 *   <li>After ten seconds in an hour its clients get no delegations for an hour.
 *   <li>After a lease, or when one of them has lost a delegation, all delegations of the place are
 *       recalled. Nobody loses one that others do not need, as the client may still hold changes.
 * </ul>
 *
 * <p>Tests: {@code LostDelegationsTest}, {@code UncalledClientsTest}.
 */
final class Recalls {
    /** How long a file that was recalled is not delegated anew. */
    private static final long REST_NANOS = 30_000_000_000L;

    /** How many such files are remembered. */
    private static final int REMEMBERED_MAX = 4096;

    /** How long others may wait for delegations of a place, and how long that counts. */
    private static final long WAIT_MAX_NANOS = 10_000_000_000L;

    private static final long WAIT_KEPT_NANOS = 3_600_000_000_000L;

    /**
     * How long a place asks in vain for the attributes of a delegated file. No lease is shorter.
     */
    private static final long IN_VAIN_NANOS = 10_000_000_000L;

    /** How many delegations one event takes, so that no event takes long. */
    private static final int MOVES_MAX = 64;

    /** Likewise of places whose delegations are all recalled: these moves are short. */
    private static final int PLACE_MOVES_MAX = 256;

    private final StateSettings settings;
    private final Journal journal;
    private final StateIds ids;
    private final Files files;
    private final Revocations revocations;
    private final SurplusDelegations surplus;
    private final Lateness waits = new Lateness(WAIT_MAX_NANOS, WAIT_KEPT_NANOS);
    private final DueByPlace<Delegation> places =
            new DueByPlace<>(
                    each -> each.client.place, each -> each.isHeld() && !each.isRecalled());

    /** Those that clients lose if they do not return them, in the order of their recalls. */
    private final SequencedSet<Delegation> recalled = new LinkedHashSet<>();

    /** Likewise those whose clients the server could not call yet: they lose nothing. */
    private final SequencedSet<Delegation> uncalled = new LinkedHashSet<>();

    /** Likewise those that local processes wait for, in the order of their recalls. */
    private final SequencedSet<Delegation> recalledForLocal = new LinkedHashSet<>();

    /** Those that are recalled because of their place, and not needed. */
    private final SequencedSet<Delegation> unneeded = new LinkedHashSet<>();

    /** The files of which a delegation was recalled. */
    private final Recent<FileKey> resting = new Recent<>(REST_NANOS, REMEMBERED_MAX);

    /** The time of the present event. */
    private long time;

    Recalls(
            StateSettings settings,
            Journal journal,
            StateIds ids,
            Files files,
            Revocations revocations,
            SurplusDelegations surplus) {
        this.settings = settings;
        this.journal = journal;
        this.ids = ids;
        this.files = files;
        this.revocations = revocations;
        this.surplus = surplus;
        files.onDelegationEnd(this::ended);
    }

    /** Returns whether the clients of a place may get delegations. */
    boolean mayGrantTo(String place, long now) {
        return !waits.isTooMuch(place, now);
    }

    /** A client has got a delegation. */
    void add(Delegation granted) {
        places.add(granted);
    }

    /** A file is not to be delegated for some time. */
    void rest(FileKey file, long now) {
        resting.add(file, now);
    }

    boolean isResting(FileKey file, long now) {
        return resting.has(file, now);
    }

    /** A delegation has ended in any way. */
    private void ended(Delegation delegation) {
        recalled.remove(delegation);
        uncalled.remove(delegation);
        recalledForLocal.remove(delegation);
        unneeded.remove(delegation);
        places.remove(delegation);
        count(delegation.client, delegation.waited(time));
    }

    /** Counts how long others have waited for a delegation of a client. */
    private void count(Client client, long waited) {
        boolean wasTooMuch = waits.isTooMuch(client.place, time);
        waits.add(client.place, waited, time);
        if (!wasTooMuch && waits.isTooMuch(client.place, time)) {
            journal.add(new Action.LongWaits(client.subject()));
        }
        if (waits.of(client.place, time) > settings.leaseNanos()) {
            places.takeAll(client.place);
        }
    }

    /**
     * Recalls the delegations of other clients that a use of a file conflicts with.
     *
     * @param own the client that uses it; null if it is none of version 4
     * @param changes whether it changes the file, or its attributes
     * @return whether the use has to wait
     */
    boolean recallOthers(FileKey key, Client own, boolean changes, long now) {
        var file = files.find(key);
        if (file == null || file.delegations.isEmpty()) {
            return false;
        }
        boolean isAny = false;
        for (var each : List.copyOf(file.delegations.values())) {
            boolean conflicts = changes || each.kind == DelegationKind.WRITE;
            if (each.client == own || !conflicts) {
                continue;
            }
            each.waitFor(now);
            if (revocations.isExpired(each.client, now)) {
                revocations.revoke(each.client, Nfs4Status.EXPIRED, now);
            } else if (each.isOverdue(now)) {
                revoke(each, now);
            } else {
                recall(each, now);
                isAny = true;
            }
        }
        return isAny;
    }

    /** A local process waits for a file. */
    void recallForLocal(OpenFile file, long now) {
        for (var each : List.copyOf(file.delegations.values())) {
            if (revocations.isExpired(each.client, now)) {
                revocations.revoke(each.client, Nfs4Status.EXPIRED, now);
            } else {
                recallForLocal(each, now);
            }
        }
    }

    /** A local process waits for the file of a delegation. */
    void recallForLocal(Delegation delegation, long now) {
        delegation.waitFor(now);
        delegation.neededLocally();
        recall(delegation, Math.min(settings.localNanos(), settings.leaseNanos()), now);
        // It stays among the others: its time for these may end first.
        recalledForLocal.add(delegation);
    }

    /** Recalls a delegation: the client loses it after a lease. */
    void recall(Delegation delegation, long now) {
        recall(delegation, settings.leaseNanos(), now);
    }

    private void recall(Delegation delegation, long limit, long now) {
        if (unneeded.remove(delegation)) {
            (delegation.isUncalled() ? uncalled : recalled).add(delegation);
        }
        recall(recalled, delegation, limit, now);
    }

    /**
     * @param among where it is
     */
    private void recall(
            SequencedSet<Delegation> among, Delegation delegation, long limit, long now) {
        if (!delegation.isRecalled()) {
            resting.add(delegation.file.key, now);
            places.remove(delegation);
        }
        if (!delegation.isRecalled() || delegation.beginsAnew(now)) {
            // Its time begins now, so it is the last one to run out.
            uncalled.remove(delegation);
            among.remove(delegation);
            among.add(delegation);
        }
        if (delegation.recall(limit, now)) {
            journal.add(
                    new Action.Recall(
                            delegation.client.id, delegation.file.key, ids.of(delegation)));
        }
    }

    /** Time has passed for local processes that wait, and not for clients. */
    void paused(long nanos) {
        recalledForLocal.forEach(each -> each.shorten(nanos));
    }

    /** A recall has no permit, and waits for one. */
    void waits(long clientId, FileKey key) {
        forRecalled(clientId, key, Delegation::waitForPermit);
    }

    /** A recall has a permit. */
    void begun(long clientId, FileKey key, long now) {
        forRecalled(clientId, key, each -> each.begun(now));
    }

    /** A client may know nothing of a recall. */
    void missed(long clientId, FileKey key, Delegation.Missed why) {
        forRecalled(clientId, key, each -> each.missed(why));
    }

    /** Returns whether a client still has a delegation that was recalled. */
    boolean isAny(long clientId, FileKey key) {
        var file = files.find(key);
        return file != null
                && file.delegations.values().stream()
                        .anyMatch(each -> each.client.id == clientId && each.isRecalled());
    }

    /** A client has accepted a recall. */
    void taken(long clientId, FileKey key) {
        forRecalled(clientId, key, Delegation::taken);
    }

    private void forRecalled(long clientId, FileKey key, Consumer<Delegation> action) {
        var file = files.find(key);
        if (file != null) {
            for (var each : file.delegations.values()) {
                if (each.client.id == clientId && each.isRecalled()) {
                    action.accept(each);
                    var before = each.isUncalled() ? recalled : uncalled;
                    if (before.remove(each)) {
                        (each.isUncalled() ? uncalled : recalled).add(each);
                    }
                }
            }
        }
    }

    /**
     * Calls the clients again that may know nothing of a recall, that let local processes wait, or
     * that have many delegations while others find little room. Recalls those of places that have
     * let others wait for too long.
     */
    void remind(long now) {
        long lease = settings.leaseNanos();
        longestSinceCall(recalled, each -> mayCall(each, now), now)
                .forEach(each -> recall(each, now));
        longestSinceCall(uncalled, each -> each.isCallDue(now), now)
                .forEach(each -> recall(each, now));
        longestSinceCall(unneeded, each -> mayCall(each, now), now)
                .forEach(each -> recall(unneeded, each, lease, now));
        places.takeDue(PLACE_MOVES_MAX).forEach(each -> recall(unneeded, each, lease, now));
        longestSinceCall(recalledForLocal, each -> each.mayCallAgain(now), now)
                .forEach(each -> recall(each, now));
        surplus.relieve(each -> recall(each, now), now);
    }

    private static boolean mayCall(Delegation delegation, long now) {
        return delegation.isCallDue(now) && delegation.client.canBeRecalled();
    }

    /** Returns some, and others in the next event: nobody waits because many come before it. */
    private static List<Delegation> longestSinceCall(
            SequencedSet<Delegation> all, Predicate<Delegation> may, long now) {
        return all.stream()
                .filter(may)
                .sorted((a, b) -> Long.compare(b.sinceCall(now), a.sinceCall(now)))
                .limit(MOVES_MAX)
                .toList();
    }

    private void revoke(Delegation delegation, long now) {
        if (delegation.wasCalled()) {
            var place = delegation.client.place;
            waits.exceed(place, now);
            places.takeAll(place);
        }
        revocations.revoke(delegation);
    }

    /** Lets time pass. Takes the delegations that were not returned in time. */
    void expire(long now) {
        time = now;
        expire(recalled, now);
        expire(recalledForLocal, now);
    }

    private void expire(SequencedSet<Delegation> waiting, long now) {
        for (int moves = 0; moves < MOVES_MAX && !waiting.isEmpty(); moves++) {
            var first = waiting.getFirst();
            if (!first.isOverdue(now)) {
                return;
            }
            revoke(first, now);
        }
    }

    /** A client was asked about a file for the client of another place. */
    void asked(FileKey key, HostPlace asker) {
        forWriters(key, null, each -> each.vainQuestions.end(asker));
    }

    /**
     * A client could not be asked about a file. It may keep its slots in use for as long as it
     * likes, so the delegation is recalled when a place has asked in vain for some time.
     */
    Outcome<Void> unasked(FileKey key, ClientUse asker, long now) {
        forWriters(
                key,
                asker.client(),
                each -> {
                    long inVain = each.vainQuestions.add(asker.where(), now);
                    if (inVain > IN_VAIN_NANOS) {
                        each.waitFor(now - inVain);
                        recall(each, now);
                    }
                });
        return journal.ok(null);
    }

    /**
     * @param own whose delegations do not count; may be null
     */
    private void forWriters(FileKey key, Client own, Consumer<Delegation> action) {
        var file = files.find(key);
        if (file != null) {
            file.delegations.values().stream()
                    .filter(each -> each.kind == DelegationKind.WRITE && each.client != own)
                    .forEach(action);
        }
    }
}
