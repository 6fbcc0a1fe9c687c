package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Carries out OPEN (RFC 8881, Section 18.16): finds or makes the file, then opens it for the
 * open-owner.
 *
 * <p>Tests: {@code OpenTest}, {@code FailedOpenTest}.
 */
final class Opening {
    private static final ChangeInfo NO_CHANGE = new ChangeInfo(false, 0, 0);

    /** The verifier of an exclusive creation is kept in these until the client sets them. */
    private static final AttributeSet OF_VERIFIER =
            AttributeSet.of(Attribute.TIME_ACCESS, Attribute.TIME_MODIFY);

    private static final AttributeSet OF_MODE =
            AttributeSet.of(Attribute.MODE, Attribute.MODE_UMASK);

    private static final AttributeChanges EMPTY = AttributeChanges.ofSize(OptionalLong.of(0));

    /** How often a file may appear or go while it is opened. */
    private static final int TRIES_MAX = 16;

    private final StateDriver state;
    private final ChangeOperations attributes;
    private final ChangeCounter changes;
    private final NameOperations names;
    private final Delegating delegating;

    Opening(
            StateDriver state,
            ChangeOperations attributes,
            ChangeCounter changes,
            NameOperations names,
            Delegating delegating) {
        this.state = state;
        this.attributes = attributes;
        this.changes = changes;
        this.names = names;
        this.delegating = delegating;
    }

    /**
     * A file that is to be opened.
     *
     * @param owner what the owner may do against the mode
     * @param info the change of the directory
     * @param set the attributes that the creation has set
     * @param isCut whether the file loses its content once it is open
     */
    private record Found(
            CurrentFile.Exported file,
            Owner owner,
            ChangeInfo info,
            AttributeSet set,
            boolean isCut) {}

    /** What the owner of a file may do against its mode. */
    private enum Owner {
        /** Nothing: the open is new. */
        AS_OTHERS,
        /**
         * Open it: the client says that it has opened or made it before. No record tells what the
         * mode was. Linux lets owners do so too.
         */
        PASSES,
        /** The call has made the file, so its caller may use it as the call says. */
        HAS_MADE
    }

    StateResult open(Compound compound, Open call)
            throws OperationFailure, Refusal, StoreException {
        int access = call.access() & Open.BOTH;
        boolean hasUnknown = compound.minorVersion() == 0 && access != call.access();
        if (access == 0 || hasUnknown || (call.deny() & ~Open.BOTH) != 0) {
            throw new OperationFailure(Nfs4Status.INVAL);
        }
        boolean isReclaim = call.claim() instanceof OpenClaim.Previous;
        boolean creates = !(call.creation() instanceof OpenCreation.None);
        state.results((all, now) -> all.mayOpen(compound.use(), isReclaim, creates, now));
        var found = find(compound, call);
        var target = compound.open(found.file);
        requireRights(target, found, access, call.deny());
        if (found.isCut && (access & Open.WRITE) == 0) {
            requireCut(compound, target);
        }
        var event =
                new OpenCall(
                        RegularFiles.key(target),
                        call.owner().name(),
                        access,
                        call.deny(),
                        isReclaim);
        var stateId =
                state.results(
                        (all, now) -> all.open(compound.use(), event, now),
                        granted ->
                                (all, now) ->
                                        all.takeBackOpen(
                                                compound.use(), event.file(), granted, now));
        var set =
                found.set.or(
                        found.isCut ? cutOrTakeBack(compound, target, stateId) : AttributeSet.NONE);
        var delegation = delegating.of(compound, target, call, stateId);
        int flags =
                compound.minorVersion() == 0
                        ? StateResult.Open.LOCKTYPE_POSIX
                        : StateResult.Open.LOCKTYPE_POSIX | StateResult.Open.MAY_NOTIFY_LOCK;
        var used = stateId;
        var told = stateId;
        var granted = Delegating.granted(delegation);
        if (granted.isPresent() && closes(compound, call, event.file(), stateId)) {
            used = granted.get();
            told = StateId.ANONYMOUS;
            flags |= StateResult.Open.NO_OPEN_STATEID;
        }
        compound.setCurrent(found.file);
        compound.setCurrentStateId(used);
        return new StateResult.Open(told, found.info, flags, set, delegation);
    }

    /**
     * Closes an open again that its client does not want beside its delegation, unless the owner
     * had opened the file before, or does so now.
     *
     * @return whether it is closed
     */
    private boolean closes(Compound compound, Open call, FileKey file, StateId open) {
        return Delegating.isInsteadOfOpen(compound, call)
                && open.sequence() == 1
                && state.happen((all, now) -> all.close(compound.use(), file, open, now)).isOk();
    }

    /**
     * Checks that no other open denies to cut the file. An open for writing is checked by itself.
     *
     * @throws OperationFailure SHARE_DENIED
     */
    private void requireCut(Compound compound, CallTarget target)
            throws OperationFailure, StoreException {
        try {
            state.requireUse(
                    compound.use(), target, compound.resolve(StateId.ANONYMOUS), StateIdUse.RESIZE);
        } catch (OperationFailure failure) {
            throw failure.status() == Nfs4Status.LOCKED
                    ? new OperationFailure(Nfs4Status.SHARE_DENIED)
                    : failure;
        }
    }

    private Found find(Compound compound, Open call)
            throws OperationFailure, Refusal, StoreException {
        boolean creates = !(call.creation() instanceof OpenCreation.None);
        return switch (call.claim()) {
            case OpenClaim.Name(var name) -> find(compound, call.creation(), name);
            case OpenClaim.Handle() when !creates -> current(compound, Owner.AS_OTHERS);
            case OpenClaim.Previous _ when !creates -> current(compound, Owner.PASSES);
            case OpenClaim.DelegatedName(var delegation, var name) when !creates ->
                    delegated(compound, delegation, existing(compound, name, Owner.PASSES));
            case OpenClaim.DelegatedHandle(var delegation) when !creates ->
                    delegated(compound, delegation, current(compound, Owner.PASSES));
            case OpenClaim.Handle _, OpenClaim.Previous _ ->
                    throw new OperationFailure(Nfs4Status.INVAL);
            case OpenClaim.DelegatedName _, OpenClaim.DelegatedHandle _ ->
                    throw new OperationFailure(Nfs4Status.INVAL);
            case OpenClaim.DelegatedNameBefore _, OpenClaim.DelegatedHandleBefore _ ->
                    throw new OperationFailure(Nfs4Status.NOTSUPP);
        };
    }

    /** Returns a file of which the client has a delegation. */
    private Found delegated(Compound compound, StateId delegation, Found found)
            throws OperationFailure {
        var key = new ExportedFile(found.file.export().store(), found.file.file());
        state.results(
                (all, now) -> all.delegations().requireHeld(compound.use(), key, delegation, now));
        return found;
    }

    private static Found current(Compound compound, Owner owner)
            throws OperationFailure, Refusal, StoreException {
        compound.regular();
        var file = (CurrentFile.Exported) compound.current();
        return new Found(file, owner, NO_CHANGE, AttributeSet.NONE, false);
    }

    private Found find(Compound compound, OpenCreation creation, FileName name)
            throws OperationFailure, Refusal, StoreException {
        if (creation instanceof OpenCreation.None) {
            return existing(compound, name, Owner.AS_OTHERS);
        }
        var directory = directory(compound, name, true);
        return switch (creation) {
            case OpenCreation.None() -> throw new IllegalStateException("it makes no file");
            case OpenCreation.Unchecked(var encoded) ->
                    existingOrNew(
                            compound,
                            directory,
                            name,
                            attributes.ofCreation(compound, directory, encoded));
            case OpenCreation.Guarded(var encoded) -> {
                var wanted = attributes.ofNew(compound, directory, encoded, false);
                yield make(
                        directory,
                        name,
                        new Creation.Guarded(wanted.changes()),
                        wanted.attributes());
            }
            case OpenCreation.Exclusive(var verifier) ->
                    make(directory, name, new Creation.Exclusive(verifier), OF_VERIFIER);
            case OpenCreation.ExclusiveWithAttributes(var verifier, var encoded) -> {
                var wanted = attributes.ofExclusive(compound, directory, encoded);
                yield make(
                        directory,
                        name,
                        new Creation.Exclusive(verifier, wanted.changes()),
                        wanted.attributes().or(OF_VERIFIER));
            }
        };
    }

    private static CallTarget directory(Compound compound, FileName name, boolean creates)
            throws OperationFailure, Refusal, StoreException {
        return switch (compound.current()) {
            case CurrentFile.Exported file -> {
                var directory = compound.open(file);
                HandleOperations.requireDirectory(directory);
                HandleOperations.requireName(name);
                yield directory;
            }
            case CurrentFile.Pseudo(var at) -> {
                HandleOperations.requireName(name);
                if (at.entries().containsKey(name)) {
                    throw new OperationFailure(Nfs4Status.ISDIR);
                }
                throw new OperationFailure(creates ? Nfs4Status.ROFS : Nfs4Status.NOENT);
            }
        };
    }

    private Found existing(Compound compound, FileName name, Owner owner)
            throws OperationFailure, Refusal, StoreException {
        return existing(compound, directory(compound, name, false), name, owner)
                .orElseThrow(() -> new OperationFailure(Nfs4Status.NOENT));
    }

    private Optional<Found> existing(
            Compound compound, CallTarget directory, FileName name, Owner owner)
            throws OperationFailure, StoreException {
        try {
            var found = directory.node().lookup(directory.caller(), name);
            var export = directory.openExport();
            var file = HandleOperations.exported(compound.exports(), export, found.id());
            RegularFiles.requireRegular(found.status().type());
            long change = changes.of(RegularFiles.key(directory), found.directory());
            return Optional.of(
                    new Found(
                            (CurrentFile.Exported) file,
                            owner,
                            new ChangeInfo(false, change, change),
                            AttributeSet.NONE,
                            false));
        } catch (StoreException failure) {
            if (failure.failure() == Failure.NOENT) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    /**
     * Finds a file, or makes it. Of the attributes for a file that exists, only the size 0 counts
     * (RFC 8881, Section 18.16.3; RFC 7530, Section 16.16.4). The file is cut only after share
     * reservations allow it.
     */
    private Found existingOrNew(
            Compound compound, CallTarget directory, FileName name, SetAttributes decoded)
            throws OperationFailure, Refusal, StoreException {
        for (int i = 0; i < TRIES_MAX; i++) {
            var existing = existing(compound, directory, name, Owner.AS_OTHERS);
            if (existing.isPresent()) {
                var found = existing.get();
                boolean isCut = decoded.size().equals(OptionalLong.of(0));
                return new Found(found.file, found.owner, found.info, found.set, isCut);
            }
            var wanted = attributes.ofNew(compound, decoded, directory, false);
            try {
                return make(
                        directory,
                        name,
                        new Creation.Guarded(wanted.changes()),
                        wanted.attributes());
            } catch (StoreException failure) {
                if (failure.failure() != Failure.EXIST) {
                    throw failure;
                }
            }
        }
        throw new OperationFailure(Nfs4Status.DELAY);
    }

    private Found make(CallTarget directory, FileName name, Creation how, AttributeSet set)
            throws OperationFailure, Refusal, StoreException {
        directory.requireWritable();
        var changed = directory.node().create(directory.caller(), name, how, directory.storage());
        var made = changed.value().made().orElseThrow(() -> new OperationFailure(Nfs4Status.DELAY));
        return new Found(
                new CurrentFile.Exported(directory.openExport(), made.id()),
                // One that was there has the verifier of an exclusive creation: its maker may have
                // lost the reply. Others can know the verifier, too: it is kept in the times.
                changed.value().isNew() ? Owner.HAS_MADE : Owner.PASSES,
                names.info(directory, changed),
                // It has the mode that its owner may have given it since.
                changed.value().isNew() ? set : set.without(OF_MODE),
                false);
    }

    /**
     * Checks the rights of the caller to a file. As in Linux, who keeps others from reading needs
     * the right to write, of the user and of the host.
     */
    private static void requireRights(CallTarget target, Found found, int access, int deny)
            throws Refusal, StoreException {
        boolean needsWrite = (access & Open.WRITE) != 0 || (deny & Open.READ) != 0 || found.isCut;
        if (needsWrite) {
            target.requireWritable();
        }
        if (found.owner == Owner.HAS_MADE) {
            return;
        }
        boolean reads = (access & Open.READ) != 0;
        var needed =
                !reads
                        ? Permission.OPEN_WRITE
                        : needsWrite ? Permission.OPEN_BOTH : Permission.OPEN_READ;
        target.node()
                .require(target.caller(), found.owner == Owner.PASSES ? needed.orOwner() : needed);
    }

    /** Cuts a file that was opened. If that fails, the client does not have the open. */
    private AttributeSet cutOrTakeBack(Compound compound, CallTarget target, StateId granted)
            throws OperationFailure, StoreException {
        boolean isDone = false;
        try {
            cut(target);
            isDone = true;
            return AttributeSet.of(Attribute.SIZE);
        } finally {
            if (!isDone) {
                var key = RegularFiles.key(target);
                state.results((all, now) -> all.takeBackOpen(compound.use(), key, granted, now));
            }
        }
    }

    private void cut(CallTarget target) throws StoreException {
        var changed =
                target.node()
                        .setAttributes(
                                target.caller(),
                                Basis.RIGHTS,
                                EMPTY,
                                Optional.empty(),
                                target.storage());
        changes.changed(RegularFiles.key(target), changed);
    }
}
