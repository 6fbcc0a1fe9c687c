package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.Callbacks;
import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.driver.LocalLeases;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall.Wish;
import io.github.rpcrdma4j.nfs.state.event.DelegatedTimes;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation.Refused;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Optional;

/**
 * Grants a client a delegation with its OPEN, or tells why it gets none (RFC 8881, Sections 10.4
 * and 18.16).
 *
 * <p>Tests: {@code DelegationTest}, {@code DelegatedTimesTest}.
 */
final class Delegating {
    /** Types in CLAIM_PREVIOUS: {@code open_delegation_type4}. */
    private static final int READ_DELEGATION = 1;

    private static final int WRITE_DELEGATION = 2;
    private static final int READ_DELEGATION_WITH_TIMES = 4;
    private static final int WRITE_DELEGATION_WITH_TIMES = 5;

    /** Clients ask the server about the rights of other users. */
    private static final Ace NO_USER = new Ace(Ace.ALLOW, 0, 0, Who.of(""));

    /** The space of the file system is the only limit. */
    private static final OpenDelegation.SpaceLimit NO_LIMIT =
            new OpenDelegation.SpaceLimit.Size(-1);

    private final ServerFacts server;
    private final StateDriver state;
    private final Callbacks callbacks;
    private final LocalLeases leases;
    private final ChangeCounter changes;

    Delegating(
            ServerFacts server,
            StateDriver state,
            Callbacks callbacks,
            LocalLeases leases,
            ChangeCounter changes) {
        this.server = server;
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
        return switch (call.claim()) {
            case OpenClaim.Previous(var type) -> reclaimed(compound, file, open, type);
            // Minor version 0 has no wishes.
            case OpenClaim.Name _, OpenClaim.Handle _ ->
                    wished(compound, file, open, call.access());
            // The client has the file delegated.
            case OpenClaim.DelegatedName _, OpenClaim.DelegatedHandle _ ->
                    new OpenDelegation.None();
            case OpenClaim.DelegatedNameBefore _, OpenClaim.DelegatedHandleBefore _ ->
                    throw new IllegalArgumentException("this claim is not supported");
        };
    }

    private OpenDelegation reclaimed(Compound compound, CallTarget file, StateId open, int type)
            throws StoreException {
        return switch (type) {
            case READ_DELEGATION, READ_DELEGATION_WITH_TIMES -> {
                boolean hasTimes = server.delegatedTimes() && type == READ_DELEGATION_WITH_TIMES;
                yield toldIfGranted(ask(compound, file, open, Wish.READ, hasTimes, true), hasTimes);
            }
            case WRITE_DELEGATION, WRITE_DELEGATION_WITH_TIMES -> {
                boolean hasTimes = server.delegatedTimes() && type == WRITE_DELEGATION_WITH_TIMES;
                yield toldIfGranted(
                        ask(compound, file, open, Wish.WRITE, hasTimes, true), hasTimes);
            }
            default -> new OpenDelegation.None();
        };
    }

    private OpenDelegation wished(Compound compound, CallTarget file, StateId open, int access)
            throws StoreException {
        boolean hasTimes = hasTimes(compound, access);
        return switch (access & Open.WANT_DELEG_MASK) {
            case Open.WANT_NO_DELEG -> new Refused(Refused.NOT_WANTED, false);
            case Open.WANT_CANCEL -> new Refused(Refused.CANCELLED, false);
            case Open.WANT_READ_DELEG ->
                    told(ask(compound, file, open, Wish.READ, hasTimes, false), hasTimes);
            case Open.WANT_WRITE_DELEG ->
                    told(ask(compound, file, open, Wish.WRITE, hasTimes, false), hasTimes);
            case Open.WANT_ANY_DELEG ->
                    told(ask(compound, file, open, Wish.ANY, hasTimes, false), hasTimes);
            default ->
                    toldIfGranted(ask(compound, file, open, Wish.ANY, hasTimes, false), hasTimes);
        };
    }

    private boolean hasTimes(Compound compound, int access) {
        return server.delegatedTimes()
                && compound.minorVersion() >= 2
                && (access & Open.WANT_DELEG_TIMESTAMPS) != 0;
    }

    /** Returns whether a client wants no open beside a delegation (RFC 9754, Section 4). */
    static boolean isInsteadOfOpen(Compound compound, Open call) {
        // The delegation does not deny others anything but what conflicts with it.
        return compound.minorVersion() >= 2
                && (call.access() & Open.WANT_OPEN_XOR_DELEGATION) != 0
                && call.deny() == 0;
    }

    /** Returns the stateid of a delegation that was granted. */
    static Optional<StateId> granted(OpenDelegation delegation) {
        return switch (delegation) {
            case OpenDelegation.Read(var id, _, _, _) -> Optional.of(id);
            case OpenDelegation.Write(var id, _, _, _, _) -> Optional.of(id);
            case OpenDelegation.None _, Refused _ -> Optional.empty();
        };
    }

    private DelegationOutcome ask(
            Compound compound,
            CallTarget file,
            StateId open,
            Wish wish,
            boolean hasTimes,
            boolean isReclaim)
            throws StoreException {
        if (!grants(file.openExport())) {
            return new DelegationOutcome.Refused(Why.RESOURCE);
        }
        var key = RegularFiles.key(file);
        var status = file.node().status();
        long change = changes.of(key, status);
        var times =
                hasTimes
                        ? Optional.of(
                                new DelegatedTimes(
                                        ServedFacts.time(status.accessed()),
                                        ServedFacts.time(status.modified())))
                        : Optional.<DelegatedTimes>empty();
        var call = new DelegateCall(key, open, wish, isReclaim, change, times);
        var outcome = delegate(compound, call);
        if (outcome instanceof DelegationOutcome.Unproven) {
            callbacks.probe(compound.use().clientId());
            outcome = delegate(compound, call);
        }
        return outcome instanceof DelegationOutcome.Asked(var number)
                ? answered(compound, key, number)
                : outcome;
    }

    /** Returns whether clients may get delegations of the files of an export. */
    static boolean grants(OpenExport export) {
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
    private static OpenDelegation toldIfGranted(DelegationOutcome outcome, boolean hasTimes) {
        return outcome instanceof DelegationOutcome.Granted
                ? told(outcome, hasTimes)
                : new OpenDelegation.None();
    }

    private static OpenDelegation told(DelegationOutcome outcome, boolean hasTimes) {
        return switch (outcome) {
            case DelegationOutcome.Granted(var id, var kind, var isRecalled) ->
                    switch (kind) {
                        case READ -> new OpenDelegation.Read(id, isRecalled, NO_USER, hasTimes);
                        case WRITE ->
                                new OpenDelegation.Write(
                                        id, isRecalled, NO_LIMIT, NO_USER, hasTimes);
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
