package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.audit.AuditedChange;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.Attribute;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A file that reports each change of names or of access rights to the audit of the server, after
 * the change was made.
 *
 * <p>Tests: {@code AuditedFailuresTest}, {@code AuditTest}.
 */
record AuditedNode(Node node, AuditedCall call) implements ForwardingNode {
    /** Why calls fail that may have made their change, which then may not be on storage. */
    private static final Set<Failure> AFTER_CHANGES =
            EnumSet.of(Failure.IO, Failure.NOSPC, Failure.DQUOT, Failure.FAULT);

    private static final Set<Attribute> RIGHTS =
            EnumSet.of(Attribute.MODE, Attribute.OWNER, Attribute.GROUP, Attribute.ACLS);

    /** An operation that changes names. */
    private interface Operation<T> {
        T run() throws StoreException;
    }

    private <T> T telling(Caller caller, AuditedChange change, Operation<T> operation)
            throws StoreException {
        T result;
        try {
            result = operation.run();
        } catch (StoreException failed) {
            if (AFTER_CHANGES.contains(failed.failure())) {
                call.tell(caller, change, Optional.of(failed.failure()));
            }
            throw failed;
        }
        call.tell(caller, change, Optional.empty());
        return result;
    }

    /** Returns the other node of a file: operations take nodes of one kind. */
    private static Node bare(Node other) {
        return other instanceof AuditedNode audited ? audited.node : other;
    }

    private static Place bare(Place other) {
        return new Place(bare(other.file()), other.offset());
    }

    private static AuditedChange.File file(Node of) {
        OptionalLong number;
        try {
            number = OptionalLong.of(of.status().number());
        } catch (StoreException _) {
            number = OptionalLong.empty();
        }
        return new AuditedChange.File(number, of.path());
    }

    private static AuditedChange.Name name(Node directory, FileName name) {
        return new AuditedChange.Name(file(directory), name);
    }

    /** Returns the inode number of what has a name now; empty if that is unknown. */
    private static OptionalLong number(Node directory, FileName name) {
        try {
            return OptionalLong.of(directory.lookup(new Caller.Server(), name).status().number());
        } catch (StoreException _) {
            return OptionalLong.empty();
        }
    }

    /** A repeated exclusive creation sets the attributes of the file that an earlier one made. */
    @Override
    public Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException {
        if (!(how instanceof Creation.Exclusive(_, var wanted))) {
            return node.create(caller, name, how, storage);
        }
        Changed<Made> changed;
        try {
            changed = node.create(caller, name, how, storage);
        } catch (StoreException failed) {
            var set = setBefore(failed);
            tellSetAtCreation(caller, name, wanted, set, OptionalLong.empty(), failed);
            throw failed;
        }
        var made = changed.value();
        if (!made.isNew()) {
            var number = made.made().map(it -> OptionalLong.of(it.status().number()));
            tellSetAtCreation(
                    caller, name, wanted, RIGHTS, number.orElse(OptionalLong.empty()), null);
        }
        return changed;
    }

    /**
     * Tells an audit which rights an exclusive creation set of a file that was there.
     *
     * @param set the attributes that were set
     * @param number that of the file; empty if that is unknown
     * @param failure of the creation, or null
     */
    private void tellSetAtCreation(
            Caller caller,
            FileName name,
            AttributeChanges wanted,
            Set<Attribute> set,
            OptionalLong number,
            StoreException failure) {
        var ofFile = EnumSet.noneOf(Attribute.class);
        ofFile.addAll(set);
        // The mode stays.
        ofFile.remove(Attribute.MODE);
        var file = new AuditedChange.File(number, name(node, name).path());
        rights(file, Optional.empty(), wanted, ofFile)
                .ifPresent(
                        rights ->
                                call.tell(
                                        caller,
                                        rights,
                                        Optional.ofNullable(failure).map(StoreException::failure)));
    }

    /** Returns what may have been set before a failure, as that of a full disk. */
    private static Set<Attribute> setBefore(StoreException failed) {
        return AFTER_CHANGES.contains(failed.failure()) ? RIGHTS : failed.attributesSet();
    }

    @Override
    public Changed<Void> remove(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return telling(
                caller,
                new AuditedChange.Removed(name(node, name), number(node, name), false),
                () -> node.remove(caller, name, storage));
    }

    @Override
    public Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return telling(
                caller,
                new AuditedChange.Removed(name(node, name), number(node, name), true),
                () -> node.removeDirectory(caller, name, storage));
    }

    @Override
    public Changed<Changed<Void>> rename(
            Caller caller, FileName name, Node target, FileName newName, Storage storage)
            throws StoreException {
        var to = bare(target);
        var change =
                new AuditedChange.Renamed(
                        name(node, name),
                        name(to, newName),
                        number(node, name),
                        number(to, newName));
        return telling(caller, change, () -> node.rename(caller, name, to, newName, storage));
    }

    @Override
    public Changed<FileStatus> link(Caller caller, Node file, FileName name, Storage storage)
            throws StoreException {
        var linked = bare(file);
        return telling(
                caller,
                new AuditedChange.Linked(file(linked), name(node, name)),
                () -> node.link(caller, linked, name, storage));
    }

    @Override
    public Changed<Void> setAttributes(
            Caller caller,
            Basis basis,
            AttributeChanges changes,
            Optional<Time> unchangedSince,
            Storage storage)
            throws StoreException {
        if (!changes.changesRights()) {
            return node.setAttributes(caller, basis, changes, unchangedSince, storage);
        }
        var file = file(node);
        Changed<Void> changed;
        try {
            changed = node.setAttributes(caller, basis, changes, unchangedSince, storage);
        } catch (StoreException failed) {
            var part = rights(file, Optional.empty(), changes, setBefore(failed));
            if (part.isPresent()) {
                call.tell(caller, part.get(), Optional.of(failed.failure()));
            }
            throw failed;
        }
        var before =
                changed.before().map(it -> new AuditedChange.Rights(it.mode(), it.uid(), it.gid()));
        rights(file, before, changes, RIGHTS)
                .ifPresent(rights -> call.tell(caller, rights, Optional.empty()));
        return changed;
    }

    /**
     * Returns a change of rights.
     *
     * @param set the attributes that were set, of those to be changed
     * @return empty if no right is among them
     */
    private static Optional<AuditedChange> rights(
            AuditedChange.File file,
            Optional<AuditedChange.Rights> before,
            AttributeChanges changes,
            Set<Attribute> set) {
        var mode = set.contains(Attribute.MODE) ? changes.mode() : OptionalInt.empty();
        var uid = set.contains(Attribute.OWNER) ? changes.uid() : OptionalInt.empty();
        var gid = set.contains(Attribute.GROUP) ? changes.gid() : OptionalInt.empty();
        var acls =
                changes.acls()
                        .filter(_ -> set.contains(Attribute.ACLS))
                        .map(both -> new AuditedChange.Lists(both.access(), both.defaults()));
        return mode.isPresent() || uid.isPresent() || gid.isPresent() || acls.isPresent()
                ? Optional.of(new AuditedChange.RightsSet(file, before, mode, uid, gid, acls))
                : Optional.empty();
    }

    @Override
    public Changed<Written> copyRange(Caller caller, long offset, long length, Place target)
            throws StoreException {
        return node.copyRange(caller, offset, length, bare(target));
    }

    @Override
    public Changed<Void> cloneRange(
            Caller caller, long offset, long length, Place target, Storage storage)
            throws StoreException {
        return node.cloneRange(caller, offset, length, bare(target), storage);
    }
}
