package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments.NewFile;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import java.lang.foreign.MemorySegment;

/**
 * Carries out CREATE, LINK, READLINK, REMOVE and RENAME (RFC 8881, Sections 18.4, 18.9, 18.24 to
 * 18.26). {@link DirectoryOperations} carries out READDIR, and {@link Opening} OPEN.
 *
 * <p>Tests: {@code Nfs4NamesTest}.
 */
final class NameOperations {
    private final ChangeOperations attributes;
    private final ChangeCounter changes;
    private final DirectoryOperations directories;
    private final StateDriver state;

    NameOperations(
            ChangeOperations attributes,
            ChangeCounter changes,
            DirectoryOperations directories,
            StateDriver state) {
        this.attributes = attributes;
        this.changes = changes;
        this.directories = directories;
        this.state = state;
    }

    Answer carryOut(Compound compound, NameArguments arguments)
            throws OperationFailure, Refusal, StoreException {
        return switch (arguments) {
            case NameArguments.Create call -> Answer.of(create(compound, call));
            case NameArguments.Remove(var name) -> Answer.of(remove(compound, name));
            case NameArguments.Rename(var from, var to) -> Answer.of(rename(compound, from, to));
            case NameArguments.Link(var name) -> Answer.of(link(compound, name));
            case NameArguments.ReadDir call -> directories.list(compound, call);
            case NameArguments.ReadLink _ -> readLink(compound);
        };
    }

    private NameResult create(Compound compound, NameArguments.Create call)
            throws OperationFailure, Refusal, StoreException {
        var directory = changedDirectory(compound, compound.current(), call.name());
        var wanted =
                attributes.ofNew(
                        compound,
                        directory,
                        call.attributes(),
                        call.file() instanceof NewFile.Directory);
        var changed = make(directory, call, wanted.changes());
        var made = changed.value().made().orElseThrow(() -> new OperationFailure(Nfs4Status.DELAY));
        var info = info(directory, changed);
        compound.setCurrent(new CurrentFile.Exported(directory.openExport(), made.id()));
        return new NameResult.Create(info, wanted.attributes());
    }

    private static Changed<Made> make(
            CallTarget directory, NameArguments.Create call, AttributeChanges wanted)
            throws OperationFailure, StoreException {
        var node = directory.node();
        var caller = directory.caller();
        var name = call.name();
        var storage = directory.storage();
        return switch (call.file()) {
            case NewFile.Directory() -> node.makeDirectory(caller, name, wanted, storage);
            case NewFile.SymbolicLink(var text) -> {
                if (!text.isLinkText()) {
                    throw new OperationFailure(Nfs4Status.INVAL);
                }
                yield node.makeSymbolicLink(caller, name, text.bytes(), wanted, storage);
            }
            case NewFile.BlockDevice(var device) ->
                    node.makeSpecialFile(
                            caller,
                            name,
                            new SpecialFile.BlockDevice(major(device), (int) device),
                            wanted,
                            storage);
            case NewFile.CharacterDevice(var device) ->
                    node.makeSpecialFile(
                            caller,
                            name,
                            new SpecialFile.CharacterDevice(major(device), (int) device),
                            wanted,
                            storage);
            case NewFile.Socket() ->
                    node.makeSpecialFile(caller, name, new SpecialFile.Socket(), wanted, storage);
            case NewFile.Fifo() ->
                    node.makeSpecialFile(caller, name, new SpecialFile.Fifo(), wanted, storage);
            case NewFile.Other _ -> throw new OperationFailure(Nfs4Status.BADTYPE);
        };
    }

    private static int major(long device) {
        return (int) (device >>> Integer.SIZE);
    }

    /**
     * Opens a directory for a change of one of its names.
     *
     * @throws OperationFailure NOTDIR, SYMLINK, a status of a bad name, or ROFS for a pseudo
     *     directory
     * @throws Refusal ROFS if the export is read-only for the caller
     */
    CallTarget changedDirectory(Compound compound, CurrentFile file, FileName name)
            throws OperationFailure, Refusal, StoreException {
        var target = openDirectory(compound, file);
        HandleOperations.requireName(name);
        target.requireWritable();
        return target;
    }

    private static CallTarget openDirectory(Compound compound, CurrentFile file)
            throws OperationFailure, Refusal, StoreException {
        return switch (file) {
            case CurrentFile.Pseudo _ -> throw new OperationFailure(Nfs4Status.ROFS);
            case CurrentFile.Exported exported -> {
                var target = compound.open(exported);
                HandleOperations.requireDirectory(target);
                yield target;
            }
        };
    }

    /** Returns the change attributes of a directory around a change. */
    ChangeInfo info(CallTarget directory, Changed<?> changed) {
        return changes.info(RegularFiles.key(directory), changed);
    }

    /**
     * A file that a client had open has to be there when the client reclaims it. The server of
     * Linux waits, too.
     *
     * @throws OperationFailure GRACE while clients may reclaim
     */
    private void requireNoReclaims() throws OperationFailure {
        if (state.isGrace()) {
            throw new OperationFailure(Nfs4Status.GRACE);
        }
    }

    private NameResult remove(Compound compound, FileName name)
            throws OperationFailure, Refusal, StoreException {
        var directory = changedDirectory(compound, compound.current(), name);
        directory.requireMovable(name);
        requireNoReclaims();
        var node = directory.node();
        Changed<Void> changed;
        try {
            changed = node.remove(directory.caller(), name, directory.storage());
        } catch (StoreException failure) {
            if (failure.failure() != Failure.ISDIR) {
                throw failure;
            }
            changed = node.removeDirectory(directory.caller(), name, directory.storage());
        }
        return new NameResult.Remove(info(directory, changed));
    }

    private NameResult rename(Compound compound, FileName from, FileName to)
            throws OperationFailure, Refusal, StoreException {
        var source = changedDirectory(compound, compound.saved(), from);
        var target = changedDirectory(compound, compound.current(), to);
        source.requireSameExport(target);
        source.requireMovable(from);
        target.requireMovable(to);
        requireNoReclaims();
        var nothing = changesNothing(source, from, target, to);
        var changed =
                source.node().rename(source.caller(), from, target.node(), to, source.storage());
        if (nothing) {
            return new NameResult.Rename(
                    unchanged(source, changed), unchanged(target, changed.value()));
        }
        return new NameResult.Rename(info(source, changed), info(target, changed.value()));
    }

    /** Returns whether both names are names of one file: then RENAME changes nothing. */
    private static boolean changesNothing(
            CallTarget source, FileName from, CallTarget target, FileName to)
            throws StoreException {
        try {
            var one = source.node().lookup(source.caller(), from);
            return one.id().equals(target.node().lookup(target.caller(), to).id());
        } catch (StoreException absent) {
            if (absent.failure() == Failure.NOENT) {
                return false;
            }
            throw absent;
        }
    }

    private ChangeInfo unchanged(CallTarget directory, Changed<?> changed) {
        var key = RegularFiles.key(directory);
        long change = changed.after().map(status -> changes.of(key, status)).orElse(0L);
        return new ChangeInfo(false, change, change);
    }

    private NameResult link(Compound compound, FileName name)
            throws OperationFailure, Refusal, StoreException {
        var directory = changedDirectory(compound, compound.current(), name);
        if (!(compound.saved() instanceof CurrentFile.Exported saved)) {
            throw new OperationFailure(Nfs4Status.ISDIR);
        }
        var file = compound.open(saved);
        if (file.node().status().isDirectory()) {
            throw new OperationFailure(Nfs4Status.ISDIR);
        }
        file.requireSameExport(directory);
        var changed =
                directory.node().link(directory.caller(), file.node(), name, directory.storage());
        return new NameResult.Link(info(directory, changed));
    }

    private static Answer readLink(Compound compound)
            throws OperationFailure, Refusal, StoreException {
        if (!(compound.current() instanceof CurrentFile.Exported file)) {
            throw new OperationFailure(Nfs4Status.ISDIR);
        }
        var link = compound.open(file);
        var type = link.node().status().type();
        if (type != FileType.SYMBOLIC_LINK) {
            throw new OperationFailure(
                    type == FileType.DIRECTORY ? Nfs4Status.ISDIR : Nfs4Status.WRONG_TYPE);
        }
        byte[] text = link.node().readLink(link.caller());
        var lease = compound.pool().lease(text.length);
        lease.segment().copyFrom(MemorySegment.ofArray(text));
        return Answer.of(new NameResult.ReadLink(lease.segment(), lease::close));
    }
}
