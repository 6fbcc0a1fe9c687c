package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall.Wish;
import io.github.rpcrdma4j.nfs.state.event.DelegatedTimes;
import io.github.rpcrdma4j.nfs.state.event.DelegatedWriter;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.table.Lateness;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Delegations of files: who gets one (RFC 8881, Sections 10.2 and 10.4). {@link Recalls} says how
 * it comes back.
 *
 * <p>A delegation is never necessary. The server grants one only if it is easy: no other client has
 * the file open in a way that conflicts, the kernel holds off local processes, the client answers
 * calls of the server, the file was not recalled a short time ago, and the clients of its place
 * have not let others wait for long lately.
 */
final class Delegations {
    /** How long a client that did not answer is not tried again. */
    private static final long TRY_AGAIN_NANOS = 30_000_000_000L;

    /** A wish that the kernel has to answer. */
    private static final class LeaseQuestion {
        final Open open;
        final DelegationKind kind;
        final DelegateCall call;

        /** Whether the OPEN still waits for it. */
        boolean isLive = true;

        /** Whether a local process has come since: what the kernel grants is void. */
        boolean isLate;

        LeaseQuestion(Open open, DelegationKind kind, DelegateCall call) {
            this.open = open;
            this.kind = kind;
            this.call = call;
        }
    }

    private final Journal journal;
    private final Recovery recovery;
    private final StateIds ids;
    private final Files files;
    private final Evictions evictions;
    private final Recalls recalls;
    private final Lateness answers;
    private final Map<Long, LeaseQuestion> questions = new HashMap<>();
    private long lastAsk;

    Delegations(
            Journal journal,
            Recovery recovery,
            StateIds ids,
            Files files,
            Evictions evictions,
            Recalls recalls,
            Lateness answers) {
        this.journal = journal;
        this.recovery = recovery;
        this.ids = ids;
        this.files = files;
        this.evictions = evictions;
        this.recalls = recalls;
        this.answers = answers;
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
        if (!call.isReclaim() && !recalls.mayGrantTo(client.place, now)) {
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
        if (evictions.forDelegation(client, now) != Nfs4Status.OK) {
            return refused(Why.RESOURCE);
        }
        long number = ++lastAsk;
        questions.put(number, new LeaseQuestion(open, kind, call));
        open.file.delegationAsks++;
        journal.add(new Action.AskKernelLease(number, open.file.key, kind));
        return journal.ok(new DelegationOutcome.Asked(number));
    }

    private boolean mayWrite(Client client, long now) {
        // In minor version 0 GETATTR names no client. The server could not tell the writer from
        // others, and would ask it about what it asks itself.
        return client.hasSessions && !answers.isTooMuch(client.place, now);
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
        // What costs least is looked at first. The descriptor for locks is open for writing: a
        // kernel lease cannot be beside it.
        boolean isInTheWay =
                recalls.isResting(file.key, now)
                        || file.hasDescriptor()
                        || !file.questions.isEmpty()
                        || file.isDelegatedBeside(kind)
                        || file.excludes(kind, open.client);
        return isInTheWay ? Why.CONTENTION : null;
    }

    /**
     * The kernel has answered.
     *
     * @param isGranted whether no local process is in the way
     */
    Outcome<DelegationOutcome> answer(long number, boolean isGranted, long now) {
        var ask = questions.remove(number);
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
        recalls.add(granted);
        if (!isGranted) {
            // The client may hold changes that it made under it: it gets the time to write them.
            recalls.recall(granted, now);
        } else if (ask.isLate) {
            recalls.recallForLocal(granted, now);
        }
        return journal.granted(
                new DelegationOutcome.Granted(ids.of(granted), ask.kind, granted.isRecalled()),
                open.client);
    }

    /** The OPEN does not wait for the answer. Returns whether there was none yet. */
    Outcome<Boolean> abandon(long number) {
        var ask = questions.get(number);
        if (ask != null) {
            ask.isLive = false;
        }
        return journal.ok(ask != null);
    }

    /** Takes back a delegation whose reply could not be sent. */
    Outcome<Void> takeBack(ClientUse use, FileKey file, StateId granted) {
        var found = ids.find(use.client(), granted, file);
        if (found.isOk() && found.state() instanceof Delegation delegation) {
            files.end(delegation);
        }
        return journal.ok(null);
    }

    /** DELEGRETURN. */
    Outcome<Void> giveBack(ClientUse use, FileKey file, StateId id) {
        var found = find(use, file, id);
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        files.end((Delegation) found.state());
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

    /** A local process waits for a file. */
    Outcome<Void> localConflict(FileKey key, long now) {
        var file = files.find(key);
        if (file != null) {
            if (file.delegationAsks > 0) {
                spoilAsks(file, now);
            }
            recalls.recallForLocal(file, now);
        }
        return journal.ok(null);
    }

    /** The kernel may have granted a lease, and tells of each conflict once. */
    private void spoilAsks(OpenFile file, long now) {
        for (var each : questions.values()) {
            if (each.open.file == file) {
                each.isLate = true;
                if (!each.call.isReclaim()) {
                    recalls.rest(file.key, now);
                }
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

    private DelegatedWriter writer(Delegation delegation, long now) {
        var client = delegation.client;
        boolean isLate = answers.isTooMuch(client.place, now);
        return new DelegatedWriter(
                client.id, isLate, client.backSlots(), delegation.change, delegation.times);
    }
}
