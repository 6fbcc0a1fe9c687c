package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.served.Exports.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.state.DelegateCall;
import io.github.rpcrdma4j.nfs.server.state.DelegateCall.Wish;
import io.github.rpcrdma4j.nfs.server.state.DelegationOutcome;
import io.github.rpcrdma4j.nfs.server.state.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.server.state.Outcome;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation.Refused;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.StateId;

/** The delegation that an OPEN may come with (RFC 8881, Sections 10.4 and 18.16). */
final class Delegating {
    /** {@code open_delegation_type4} in CLAIM_PREVIOUS. */
    private static final int NO_DELEGATION = 0;

    private static final int WRITE_DELEGATION = 2;

    /** Clients ask the server about the rights of other users. */
    private static final Ace NO_USER = new Ace(Ace.ALLOW, 0, 0, Who.of(""));

    /** The space of the file system is the only limit. */
    private static final OpenDelegation.SpaceLimit NO_LIMIT =
            new OpenDelegation.SpaceLimit.Size(-1);

    private final StateDriver state;
    private final Callbacks callbacks;
    private final LocalLeases leases;
    private final ChangeCounter changes;

    Delegating(StateDriver state, Callbacks callbacks, LocalLeases leases, ChangeCounter changes) {
        this.state = state;
        this.callbacks = callbacks;
        this.leases = leases;
        this.changes = changes;
    }

    /**
     * Returns what a client gets that has just opened a file.
     *
     * @param open the stateid of the open
     */
    OpenDelegation of(Compound compound, CallTarget file, Open call, StateId open)
            throws StoreException {
        if (compound.minorVersion() == 0) {
            // The server does not call clients of this version back.
            return new OpenDelegation.None();
        }
        return switch (call.claim()) {
            case OpenClaim.Previous(var type) when type == NO_DELEGATION ->
                    new OpenDelegation.None();
            case OpenClaim.Previous(var type) -> {
                var wish = type == WRITE_DELEGATION ? Wish.WRITE : Wish.READ;
                yield toldIfGranted(ask(compound, file, open, wish, true));
            }
            case OpenClaim.Name _, OpenClaim.Handle _ ->
                    wished(compound, file, open, call.access() & Open.WANT_DELEG_MASK);
            // The client has the file delegated.
            case OpenClaim.DelegatedName _, OpenClaim.DelegatedHandle _ ->
                    new OpenDelegation.None();
            case OpenClaim.DelegatedNameBefore _, OpenClaim.DelegatedHandleBefore _ ->
                    throw new IllegalArgumentException("this claim is not supported");
        };
    }

    private OpenDelegation wished(Compound compound, CallTarget file, StateId open, int wish)
            throws StoreException {
        return switch (wish) {
            case Open.WANT_NO_DELEG -> new Refused(Refused.NOT_WANTED, false);
            case Open.WANT_CANCEL -> new Refused(Refused.CANCELLED, false);
            case Open.WANT_READ_DELEG -> told(ask(compound, file, open, Wish.READ, false));
            case Open.WANT_WRITE_DELEG -> told(ask(compound, file, open, Wish.WRITE, false));
            case Open.WANT_ANY_DELEG -> told(ask(compound, file, open, Wish.ANY, false));
            default -> toldIfGranted(ask(compound, file, open, Wish.ANY, false));
        };
    }

    private DelegationOutcome ask(
            Compound compound, CallTarget file, StateId open, Wish wish, boolean isReclaim)
            throws StoreException {
        if (!grants(file.openExport())) {
            return new DelegationOutcome.Refused(Why.RESOURCE);
        }
        var key = RegularFiles.key(file);
        long change = changes.of(key, file.node().status());
        var user = new CallerUser(file.caller());
        var call = new DelegateCall(key, open, wish, isReclaim, user, change);
        var outcome = delegate(compound, call);
        if (outcome instanceof DelegationOutcome.Unproven) {
            callbacks.probe(compound.use().clientId());
            outcome = delegate(compound, call);
        }
        return outcome instanceof DelegationOutcome.Asked(var number)
                ? answered(compound, key, number)
                : outcome;
    }

    private static boolean grants(OpenExport export) {
        return switch (export.export().delegations()) {
            case NONE -> false;
            case LEASES -> export.store().leasedFilesMax() > 0;
            case EXCLUSIVE -> true;
        };
    }

    private DelegationOutcome delegate(Compound compound, DelegateCall call) {
        return state.happen((all, now) -> all.delegations().delegate(compound.use(), call, now))
                .value();
    }

    private DelegationOutcome answered(Compound compound, ExportedFile file, long number) {
        var answer = leases.outcome(number);
        if (answer.isEmpty()) {
            return new DelegationOutcome.Refused(Why.RESOURCE);
        }
        return answer.get().value() instanceof DelegationOutcome.Granted granted
                ? stored(compound, file, answer.get(), granted)
                : answer.get().value();
    }

    /** Returns what was granted, unless storage fails. */
    private DelegationOutcome stored(
            Compound compound,
            ExportedFile file,
            Outcome<DelegationOutcome> outcome,
            DelegationOutcome.Granted granted) {
        try {
            state.stored(
                    outcome,
                    (all, now) ->
                            all.delegations()
                                    .takeBack(compound.use(), file, granted.stateId(), now));
            return granted;
        } catch (OperationFailure _) {
            return new DelegationOutcome.Refused(Why.RESOURCE);
        }
    }

    /** A client that wished for nothing is not told why it gets nothing. */
    private static OpenDelegation toldIfGranted(DelegationOutcome outcome) {
        return outcome instanceof DelegationOutcome.Granted
                ? told(outcome)
                : new OpenDelegation.None();
    }

    private static OpenDelegation told(DelegationOutcome outcome) {
        return switch (outcome) {
            case DelegationOutcome.Granted(var id, var kind, var isRecalled) ->
                    switch (kind) {
                        case READ -> new OpenDelegation.Read(id, isRecalled, NO_USER, false);
                        case WRITE ->
                                new OpenDelegation.Write(id, isRecalled, NO_LIMIT, NO_USER, false);
                    };
            case DelegationOutcome.Refused(var why) ->
                    switch (why) {
                        case CONTENTION -> new Refused(Refused.CONTENTION, false);
                        case RESOURCE -> new Refused(Refused.RESOURCE, false);
                        case NO_UPGRADE -> new Refused(Refused.NOT_SUPP_UPGRADE, false);
                    };
            case DelegationOutcome.Unproven(), DelegationOutcome.Asked _ ->
                    new Refused(Refused.RESOURCE, false);
        };
    }
}
