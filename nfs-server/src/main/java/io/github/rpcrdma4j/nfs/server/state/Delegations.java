package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.server.state.DelegateCall.Wish;
import io.github.rpcrdma4j.nfs.server.state.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.Consumer;

/**
 * Delegations of files: who gets one, and how it comes back (RFC 8881, Sections 10.2 and 10.4).
 *
 * <p>A delegation is never necessary. The server grants one only if it is easy: no other client has
 * the file open in a way that conflicts, the kernel holds off local processes, the client answers
 * calls of the server, the file was not recalled a short time ago, and no client of the host has
 * lost a delegation lately because it did not return it.
 */
final class Delegations {
    /** How long a file that was recalled is not delegated anew. */
    private static final long REST_NANOS = 30_000_000_000L;

    /** How long a client that did not answer is not tried again. */
    private static final long TRY_AGAIN_NANOS = 30_000_000_000L;

    /** How long the clients of a host get none after one of them has not returned one in time. */
    private static final long PENALTY_NANOS = 3_600_000_000_000L;

    /** How long a host asks in vain for the attributes of a delegated file. No lease is shorter. */
    private static final long IN_VAIN_NANOS = 10_000_000_000L;

    /** How many such files, and hosts, are remembered. */
    private static final int REMEMBERED_MAX = 4096;

    /** How many delegations one event takes, so that no event takes long. */
    private static final int MOVES_MAX = 64;

    /** A wish that the kernel has to answer. */
    private static final class Ask {
        final Open open;
        final DelegationKind kind;
        final DelegateCall call;

        /** Whether the OPEN still waits for it. */
        boolean isLive = true;

        /** Whether a local process has come since: what the kernel grants is void. */
        boolean isLate;

        Ask(Open open, DelegationKind kind, DelegateCall call) {
            this.open = open;
            this.kind = kind;
            this.call = call;
        }
    }

    private final StateSettings settings;
    private final Journal journal;
    private final Recovery recovery;
    private final StateIds ids;
    private final Files files;
    private final Room room;
    private final Revocations revocations;
    private final SurplusDelegations surplus;
    private final LateAnswers lateAnswers;
    private final Map<Long, Ask> asks = new HashMap<>();
    private long lastAsk;

    /** Those that clients wait for, in the order of their recalls; some have ended. */
    private final SequencedSet<Delegation> recalled = new LinkedHashSet<>();

    /** Likewise those that local processes wait for. */
    private final SequencedSet<Delegation> recalledForLocal = new LinkedHashSet<>();

    /** The files of which a delegation was recalled. */
    private final Recent<FileKey> resting = new Recent<>(REST_NANOS, REMEMBERED_MAX);

    /** The hosts whose clients have lost one. A client gets a new name easily, a host does not. */
    private final Recent<Host> penalized = new Recent<>(PENALTY_NANOS, REMEMBERED_MAX);

    Delegations(
            StateSettings settings,
            Journal journal,
            Recovery recovery,
            StateIds ids,
            Files files,
            Room room,
            Revocations revocations,
            SurplusDelegations surplus,
            LateAnswers lateAnswers) {
        this.settings = settings;
        this.journal = journal;
        this.recovery = recovery;
        this.ids = ids;
        this.files = files;
        this.room = room;
        this.revocations = revocations;
        this.surplus = surplus;
        this.lateAnswers = lateAnswers;
    }

    /** Grants a delegation to a client that has just opened a file, if it is easy. */
    Outcome<DelegationOutcome> delegate(ClientUse use, DelegateCall call, long now) {
        var client = use.client();
        var found = ids.find(client, call.open(), call.file());
        if (use.presence() != Nfs4Status.OK
                || !(found.isOk() && found.state() instanceof Open open)) {
            return refused(Why.RESOURCE);
        }
        var may = recovery.may(client, call.isReclaim());
        if (may != Nfs4Status.OK) {
            return refused(Why.RESOURCE);
        }
        if (!call.isReclaim() && penalized.has(client.host.host, now)) {
            return refused(Why.RESOURCE);
        }
        // A client that reclaims may not have answered yet.
        if (!call.isReclaim() && !(client.answersCalls && client.canBeRecalled())) {
            return mayTry(client, now)
                    ? journal.ok(new DelegationOutcome.Unproven())
                    : refused(Why.RESOURCE);
        }
        var kind = kind(open, call.wish());
        if (kind == DelegationKind.WRITE && !mayWrite(client, now)) {
            return refused(Why.RESOURCE);
        }
        var why = inTheWay(open, kind, now);
        if (why != null) {
            return refused(why);
        }
        if (room.forDelegation(client, now) != Nfs4Status.OK) {
            return refused(Why.RESOURCE);
        }
        long number = ++lastAsk;
        asks.put(number, new Ask(open, kind, call));
        open.file.delegationAsks++;
        journal.add(new Action.AskKernelLease(number, open.file.key, kind));
        return journal.ok(new DelegationOutcome.Asked(number));
    }

    private boolean mayWrite(Client client, long now) {
        // In minor version 0 GETATTR names no client. The server could not tell the writer from
        // others, and would ask it about what it asks itself.
        return client.hasSessions && !lateAnswers.areTooMany(client.host.host, now);
    }

    /** Returns whether the server may try now whether a client answers. */
    private static boolean mayTry(Client client, long now) {
        boolean mayTry =
                client.canBeRecalled()
                        && (!client.wasTried || now - client.tried > TRY_AGAIN_NANOS);
        if (mayTry) {
            client.wasTried = true;
            client.tried = now;
        }
        return mayTry;
    }

    private Outcome<DelegationOutcome> refused(Why why) {
        return journal.ok(new DelegationOutcome.Refused(why));
    }

    private static DelegationKind kind(Open open, Wish wish) {
        return switch (wish) {
            case READ -> DelegationKind.READ;
            case WRITE -> DelegationKind.WRITE;
            case ANY -> open.mayWrite() ? DelegationKind.WRITE : DelegationKind.READ;
        };
    }

    /** Returns why a client cannot have a delegation, or null. */
    private Why inTheWay(Open open, DelegationKind kind, long now) {
        var file = open.file;
        var own = file.delegations.get(open.client);
        if (own != null) {
            return kind == DelegationKind.WRITE && own.kind == DelegationKind.READ
                    ? Why.NO_UPGRADE
                    : Why.RESOURCE;
        }
        if (kind == DelegationKind.WRITE && !open.mayWrite()) {
            return Why.RESOURCE;
        }
        boolean isDelegated =
                file.delegations.values().stream()
                        .anyMatch(
                                each ->
                                        kind == DelegationKind.WRITE
                                                || each.kind == DelegationKind.WRITE
                                                || each.isRecalled());
        boolean isOpen = file.opens.values().stream().anyMatch(each -> excludes(each, open, kind));
        // The descriptor for locks is open for writing: a kernel lease cannot be beside it.
        boolean isLocked = file.hasDescriptor() || !file.asks.isEmpty();
        boolean isResting = resting.has(file.key, now);
        return isDelegated || isOpen || isLocked || isResting ? Why.CONTENTION : null;
    }

    /** Returns whether an open excludes a delegation. */
    private static boolean excludes(Open each, Open own, DelegationKind kind) {
        return switch (kind) {
            case READ -> each.mayWrite() || each.client != own.client && each.deny() != 0;
            case WRITE -> each.client != own.client;
        };
    }

    /**
     * The kernel has answered.
     *
     * @param isGranted whether no local process is in the way
     */
    Outcome<DelegationOutcome> answer(long number, boolean isGranted, long now) {
        var ask = asks.remove(number);
        if (ask == null) {
            throw new IllegalStateException("delegation " + number + " was not asked for");
        }
        var open = ask.open;
        var file = open.file;
        file.delegationAsks--;
        boolean isWanted = ask.isLive && !open.isLost() && file.opens.containsValue(open);
        boolean isDue = isGranted && !ask.isLate || ask.call.isReclaim();
        if (!isWanted || !isDue || inTheWay(open, ask.kind, now) != null) {
            files.endKernelLeaseIfUnused(file);
            files.forgetIfUnused(file);
            return refused(Why.CONTENTION);
        }
        var granted = files.addDelegation(open, ask.kind, ask.call);
        if (!isGranted) {
            // The client may hold changes that it made under it: it gets the time to write them.
            recall(granted, settings.leaseNanos(), now);
        } else if (ask.isLate) {
            recallForLocal(granted, now);
        }
        return journal.granted(
                new DelegationOutcome.Granted(ids.of(granted), ask.kind, granted.isRecalled()),
                open.client);
    }

    /** The OPEN does not wait for the answer. Returns whether there was none yet. */
    Outcome<Boolean> abandon(long number) {
        var ask = asks.get(number);
        if (ask != null) {
            ask.isLive = false;
        }
        return journal.ok(ask != null);
    }

    /** Takes back a delegation whose reply could not be sent. */
    Outcome<Void> takeBack(ClientUse use, FileKey file, StateId granted) {
        var found = ids.find(use.client(), granted, file);
        if (found.isOk() && found.state() instanceof Delegation delegation) {
            end(delegation);
        }
        return journal.ok(null);
    }

    /** DELEGRETURN. */
    Outcome<Void> giveBack(ClientUse use, FileKey file, StateId id) {
        var found = find(use, file, id);
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        end((Delegation) found.state());
        return journal.ok(null);
    }

    /** Checks the stateid of an OPEN of a client that has the file delegated. */
    Outcome<Void> requireHeld(ClientUse use, FileKey file, StateId id) {
        var found = find(use, file, id);
        return found.isOk() ? journal.ok(null) : journal.refused(found.status());
    }

    /**
     * Returns what the times of a file were when a client got to keep them: OK, BAD_STATEID, or an
     * error of the stateid.
     *
     * @param modifies whether the client sets more than the time of the last access
     */
    Outcome<DelegatedTimes> times(ClientUse use, FileKey file, StateId id, boolean modifies) {
        var found = find(use, file, id);
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        var delegation = (Delegation) found.state();
        boolean isRight = !modifies || delegation.kind == DelegationKind.WRITE;
        return delegation.times.isPresent() && isRight
                ? journal.ok(delegation.times.get())
                : journal.refused(Nfs4Status.BAD_STATEID);
    }

    private StateIds.Found find(ClientUse use, FileKey file, StateId id) {
        var found = ids.find(use.client(), id, file);
        return found.orNot(found.state() instanceof Delegation);
    }

    private void end(Delegation delegation) {
        awaitNoLonger(delegation);
        files.end(delegation);
    }

    private void awaitNoLonger(Delegation delegation) {
        recalled.remove(delegation);
        recalledForLocal.remove(delegation);
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
            if (revocations.isExpired(each.client, now)) {
                revocations.revoke(each.client, Nfs4Status.EXPIRED, now);
            } else if (each.isOverdue(now)) {
                revoke(each, now);
            } else {
                recall(each, settings.leaseNanos(), now);
                isAny = true;
            }
        }
        return isAny;
    }

    /** A local process waits for a file. */
    Outcome<Void> localConflict(FileKey key, long now) {
        var file = files.find(key);
        if (file != null) {
            if (file.delegationAsks > 0) {
                spoilAsks(file, now);
            }
            for (var each : List.copyOf(file.delegations.values())) {
                if (revocations.isExpired(each.client, now)) {
                    revocations.revoke(each.client, Nfs4Status.EXPIRED, now);
                } else {
                    recallForLocal(each, now);
                }
            }
        }
        return journal.ok(null);
    }

    /** The kernel may have granted a lease, and tells of each conflict once. */
    private void spoilAsks(OpenFile file, long now) {
        for (var each : asks.values()) {
            if (each.open.file == file) {
                each.isLate = true;
                if (!each.call.isReclaim()) {
                    resting.add(file.key, now);
                }
            }
        }
    }

    private void recallForLocal(Delegation delegation, long now) {
        delegation.neededLocally();
        recall(delegation, Math.min(settings.localNanos(), settings.leaseNanos()), now);
        // It stays among the others: its time for these may end first.
        recalledForLocal.add(delegation);
    }

    private void recall(Delegation delegation, long limit, long now) {
        if (!delegation.isRecalled()) {
            resting.add(delegation.file.key, now);
        }
        if (!delegation.isRecalled() || delegation.beginsAnew(now)) {
            // Its time begins now, so it is the last one to run out.
            recalled.remove(delegation);
            recalled.add(delegation);
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

    /** A client may know nothing of a recall. */
    void missed(long clientId, FileKey key, Delegation.Missed why) {
        forRecalled(clientId, key, each -> each.missed(why));
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
                }
            }
        }
    }

    /**
     * Calls the clients again that may know nothing of a recall, that let local processes wait, or
     * that have many delegations while others find little room.
     */
    void remind(long now) {
        recalled.stream()
                .filter(each -> each.isCallDue(now))
                .filter(each -> each.isHeld() && each.client.canBeRecalled())
                .limit(MOVES_MAX)
                .toList()
                .forEach(each -> recall(each, settings.leaseNanos(), now));
        recalledForLocal.stream()
                .limit(MOVES_MAX)
                .filter(Delegation::isHeld)
                .forEach(each -> recall(each, settings.leaseNanos(), now));
        surplus.relieve(each -> recall(each, settings.leaseNanos(), now), now);
    }

    private void revoke(Delegation delegation, long now) {
        awaitNoLonger(delegation);
        if (delegation.wasCalled()) {
            penalized.add(delegation.client.host.host, now);
        }
        revocations.revoke(delegation);
    }

    /** Takes the delegations that were not returned in time. */
    void expire(long now) {
        expire(recalled, now);
        expire(recalledForLocal, now);
    }

    private void expire(SequencedSet<Delegation> waiting, long now) {
        for (int moves = 0; moves < MOVES_MAX && !waiting.isEmpty(); moves++) {
            var first = waiting.getFirst();
            if (!first.isHeld()) {
                waiting.remove(first);
            } else if (first.isOverdue(now)) {
                revoke(first, now);
            } else {
                return;
            }
        }
    }

    /** Returns another client that may have written to a file on its own. */
    Optional<DelegatedWriter> writer(FileKey key, Client own, long now) {
        var file = files.find(key);
        if (file == null) {
            return Optional.empty();
        }
        return file.delegations.values().stream()
                .filter(each -> each.kind == DelegationKind.WRITE && each.client != own)
                .map(each -> writer(each, now))
                .findAny();
    }

    /** A client was asked about a file for the client of another host. */
    void asked(FileKey key, Host asker) {
        forWriters(key, null, each -> each.vainQuestions.end(asker));
    }

    /**
     * A client could not be asked about a file. It may keep its slots in use for as long as it
     * likes, so the delegation is recalled when a host has asked in vain for some time.
     */
    Outcome<Void> unasked(FileKey key, ClientUse asker, long now) {
        forWriters(
                key,
                asker.client(),
                each -> {
                    if (each.vainQuestions.add(asker.host(), now) > IN_VAIN_NANOS) {
                        recall(each, settings.leaseNanos(), now);
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

    private DelegatedWriter writer(Delegation delegation, long now) {
        var client = delegation.client;
        boolean isLate = lateAnswers.areTooMany(client.host.host, now);
        return new DelegatedWriter(client.id, isLate, delegation.change, delegation.times);
    }
}
