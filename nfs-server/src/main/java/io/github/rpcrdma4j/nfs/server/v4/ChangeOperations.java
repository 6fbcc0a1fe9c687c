package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.driver.Statuses;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.store.Acls;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.AclMapping;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * Carries out SETATTR, and decodes the attributes that a client gives to a new file by CREATE or
 * OPEN (RFC 8881, Sections 18.30, 18.4 and 18.16).
 *
 * <p>Tests: {@code AttributesTest}, {@code OpenTest}.
 */
final class ChangeOperations {
    private final ServerFacts server;
    private final StateDriver state;
    private final ChangeCounter changes;
    private final OwnerNames owners;
    private final InstantSource clock;

    ChangeOperations(
            ServerFacts server,
            StateDriver state,
            ChangeCounter changes,
            OwnerNames owners,
            InstantSource clock) {
        this.server = server;
        this.state = state;
        this.changes = changes;
        this.owners = owners;
        this.clock = clock;
    }

    /**
     * The attributes of a new file.
     *
     * @param attributes those that the new file gets as the client wants
     */
    record Wanted(AttributeChanges changes, AttributeSet attributes) {}

    AttributeResult set(Compound compound, AttributeArguments.SetAttr call)
            throws OperationFailure, Refusal, StoreException {
        if (!(compound.current() instanceof CurrentFile.Exported file)) {
            throw new OperationFailure(Nfs4Status.ROFS);
        }
        var target = compound.open(file);
        var wanted = decode(compound, target, call.attributes(), AttributeSet.SETTABLE);
        if (wanted.umask().isPresent()) {
            // A umask is for new files (RFC 8275, Section 5).
            throw new OperationFailure(Nfs4Status.INVAL);
        }
        target.requireWritable();
        var kept = wanted.attributes().and(ServedAttributes.OF_DELEGATIONS);
        if (!kept.isEmpty()) {
            setKeptTimes(compound, target, call, wanted);
            if (kept.equals(wanted.attributes())) {
                return new AttributeResult.SetAttr(Nfs4Status.OK, kept);
            }
        }
        boolean isDirectory = wanted.acl().isPresent() && target.node().status().isDirectory();
        if (wanted.size().isPresent()) {
            RegularFiles.requireRegular(target.node().status().type());
            state.requireUse(
                    compound.use(), target, compound.resolve(call.stateId()), StateIdUse.RESIZE);
        }
        return set(
                target, Basis.RIGHTS, changes(compound, wanted, isDirectory), wanted.attributes());
    }

    /**
     * Sets the times that a client has kept under its delegation.
     *
     * @throws OperationFailure BAD_STATEID if it has not
     */
    private void setKeptTimes(
            Compound compound,
            CallTarget target,
            AttributeArguments.SetAttr call,
            SetAttributes wanted)
            throws OperationFailure, StoreException {
        var id = compound.resolve(call.stateId());
        var key = RegularFiles.key(target);
        boolean modifies = wanted.attributes().has(Attribute.TIME_DELEG_MODIFY);
        target.node().require(target.caller(), modifies ? Permission.WRITE : Permission.READ);
        var granted =
                state.results(
                        (all, now) ->
                                all.delegations().times(compound.use(), key, id, modifies, now));
        var told = new KeptTimes(granted, clock.instant());
        var times =
                AttributeChanges.ofTimes(
                        wanted.accessed() instanceof SetAttributes.TimeChange.Delegated(var time)
                                ? told.accessed(time)
                                : new AttributeChanges.TimeChange.Keep(),
                        wanted.modified() instanceof SetAttributes.TimeChange.Delegated(var time)
                                ? told.modified(time)
                                : new AttributeChanges.TimeChange.Keep());
        if (times.changesTimes()) {
            set(target, Basis.DELEGATION, times, AttributeSet.NONE);
        }
    }

    private AttributeResult set(
            CallTarget target, Basis basis, AttributeChanges wanted, AttributeSet attributes)
            throws StoreException {
        try {
            var changed =
                    target.node()
                            .setAttributes(
                                    target.caller(),
                                    basis,
                                    wanted,
                                    Optional.empty(),
                                    target.storage());
            changes.changed(RegularFiles.key(target), changed);
            return new AttributeResult.SetAttr(Nfs4Status.OK, attributes);
        } catch (StoreException failure) {
            if (failure.attributesSet().isEmpty()) {
                throw failure;
            }
            var set = names(failure.attributesSet()).and(attributes);
            return new AttributeResult.SetAttr(Statuses.of(failure.failure()), set);
        }
    }

    private static AttributeSet names(Set<AttributeChanges.Attribute> set) {
        var names = AttributeSet.NONE;
        for (var each : set) {
            names =
                    names.with(
                            switch (each) {
                                case SIZE -> Attribute.SIZE;
                                case OWNER -> Attribute.OWNER;
                                case GROUP -> Attribute.OWNER_GROUP;
                                case MODE -> Attribute.MODE;
                                case ACLS -> Attribute.ACL;
                                case ACCESSED -> Attribute.TIME_ACCESS_SET;
                                case MODIFIED -> Attribute.TIME_MODIFY_SET;
                            });
        }
        return names;
    }

    /** Returns what a new file in a directory gets. */
    Wanted ofNew(
            Compound compound, CallTarget directory, EncodedAttributes encoded, boolean isDirectory)
            throws OperationFailure {
        var wanted = ofCreation(compound, directory, encoded);
        return ofNew(compound, wanted, directory, isDirectory);
    }

    /**
     * Decodes attributes that a client may set at the creation of a file.
     *
     * @param file one of the file system
     */
    SetAttributes ofCreation(Compound compound, CallTarget file, EncodedAttributes encoded)
            throws OperationFailure {
        return decode(compound, file, encoded, ServedAttributes.OF_CREATION);
    }

    private SetAttributes decode(
            Compound compound, CallTarget file, EncodedAttributes encoded, AttributeSet allowed)
            throws OperationFailure {
        return decode(encoded, supported(compound, file), allowed);
    }

    private AttributeSet supported(Compound compound, CallTarget file) {
        return ServedAttributes.of(
                compound.minorVersion(), file.node().features(), server.delegatedTimes());
    }

    /** Returns what a new file in a directory gets that an exclusive creation makes. */
    Wanted ofExclusive(Compound compound, CallTarget directory, EncodedAttributes encoded)
            throws OperationFailure {
        var supported = supported(compound, directory);
        var allowed = ServedAttributes.ofExclusiveCreation(supported);
        return ofNew(compound, decode(encoded, supported, allowed), directory, false);
    }

    /**
     * Returns what a new file in a directory gets. Only root may choose an owner; the owner in
     * calls of others is ignored, as in Linux.
     */
    Wanted ofNew(Compound compound, SetAttributes wanted, CallTarget directory, boolean isDirectory)
            throws OperationFailure {
        var kept =
                directory.caller().isRoot()
                        ? wanted
                        : wanted.withOwner(Optional.empty(), Optional.empty());
        return new Wanted(changes(compound, kept, isDirectory), kept.attributes());
    }

    private static SetAttributes decode(
            EncodedAttributes encoded, AttributeSet supported, AttributeSet allowed)
            throws OperationFailure {
        return switch (SetAttributes.decode(encoded, supported, allowed)) {
            case SetAttributes.Decoded.Accepted(var changes) -> changes;
            case SetAttributes.Decoded.Refused(var status) -> throw new OperationFailure(status);
        };
    }

    /**
     * @throws OperationFailure BADOWNER for an unknown user or group, FBIG for a size that no file
     *     can have, or a status of an access control list that cannot be mapped
     */
    private AttributeChanges changes(Compound compound, SetAttributes wanted, boolean isDirectory)
            throws OperationFailure {
        var names = owners.of(compound);
        if (wanted.size().orElse(0) < 0) {
            throw new OperationFailure(Nfs4Status.FBIG);
        }
        return new AttributeChanges(
                wanted.mode(),
                wanted.umask(),
                id(compound, wanted.owner(), names::user),
                id(compound, wanted.group(), names::group),
                wanted.size(),
                acls(wanted.acl(), isDirectory, names),
                change(wanted.accessed()),
                change(wanted.modified()));
    }

    private static OptionalInt id(
            Compound compound, Optional<Who> who, Function<Who, OptionalInt> known)
            throws OperationFailure {
        if (who.isEmpty()) {
            return OptionalInt.empty();
        }
        var id = known.apply(who.get());
        if (id.isEmpty()) {
            boolean hasName = !who.get().toString().isEmpty();
            // Minor version 0 calls a missing name invalid (RFC 7530, Section 5.9).
            throw new OperationFailure(
                    hasName || compound.minorVersion() > 0
                            ? Nfs4Status.BADOWNER
                            : Nfs4Status.INVAL);
        }
        return id;
    }

    private static Optional<Acls> acls(
            Optional<List<Ace>> wanted, boolean isDirectory, AclMapping.Ids names)
            throws OperationFailure {
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        return switch (AclMapping.toPosix(wanted.get(), isDirectory, names)) {
            case AclMapping.Mapped.Lists(var access, var inherited) ->
                    Optional.of(new Acls(access, inherited));
            case AclMapping.Mapped.Refused(var status) -> throw new OperationFailure(status);
        };
    }

    private static AttributeChanges.TimeChange change(SetAttributes.TimeChange change) {
        return switch (change) {
            // Those of delegations were set before.
            case SetAttributes.TimeChange.Keep(), SetAttributes.TimeChange.Delegated _ ->
                    new AttributeChanges.TimeChange.Keep();
            case SetAttributes.TimeChange.ToServerTime() -> new AttributeChanges.TimeChange.Now();
            case SetAttributes.TimeChange.To(var time) ->
                    new AttributeChanges.TimeChange.To(new Time(time.seconds(), time.nanos()));
        };
    }
}
