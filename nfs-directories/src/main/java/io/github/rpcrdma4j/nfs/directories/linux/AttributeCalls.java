package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.Attribute;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.SpaceStatus;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Operations on the attributes of one file.
 *
 * <p>Tests: {@code LinuxStoreContractTest}, {@code RightsTest}.
 */
record AttributeCalls(LinuxStore store, DataAccess access, AclCalls acls) {
    private static final int MODE_MASK = 07777;
    private static final int SET_USER = 04000;
    private static final int SET_GROUP = 02000;
    private static final int GROUP_EXECUTE = 010;
    private static final long TIME_NOW = 0x3fffffff;
    private static final long TIME_KEEP = 0x3ffffffe;
    private static final int SCALE_DEFAULT = 4096;

    /** {@code ST_RDONLY} in the flags of a mount. */
    private static final long READ_ONLY = 1;

    private static final OptionalInt NO_ID = OptionalInt.of(Caller.NO_ID);

    FileStatus status(LinuxNode node) throws StoreException {
        return store.threads()
                .run(
                        node.id,
                        call -> {
                            waitUnlessLocal(call, node);
                            return node.status(call.scratch);
                        });
    }

    /** Makes an operation wait if another machine or process stores the attributes of the file. */
    static void waitUnlessLocal(Call call, LinuxNode node) {
        if (!node.mounted.local()) {
            call.mustWait();
        }
    }

    int access(LinuxNode node, Caller caller, int wanted) throws StoreException {
        return store.threads()
                .run(
                        node.id,
                        call -> {
                            waitUnlessLocal(call, node);
                            node.stat(call.scratch);
                            return Rights.granted(call, node, caller, wanted);
                        });
    }

    void require(LinuxNode node, Caller caller, Permission permission) throws StoreException {
        store.threads()
                .run(
                        node.id,
                        call -> {
                            waitUnlessLocal(call, node);
                            node.stat(call.scratch);
                            Rights.require(call, node, caller, permission);
                            return null;
                        });
    }

    byte[] readLink(LinuxNode node) throws StoreException {
        if (node.type != FileType.SYMBOLIC_LINK) {
            throw new StoreException(Failure.INVAL);
        }
        return store.threads()
                .run(
                        node.id,
                        call -> {
                            call.mustWait();
                            node.stat(call.scratch);
                            return text(call.scratch, node.descriptor);
                        });
    }

    /** Returns the text of a symbolic link. */
    static byte[] text(Scratch scratch, int descriptor) throws StoreException {
        int length = ErrnoFailures.check(Kernel.readlink(scratch, descriptor));
        return scratch.memory.asSlice(Scratch.TEXT, length).toArray(ValueLayout.JAVA_BYTE);
    }

    SpaceStatus space(LinuxNode node) throws StoreException {
        return store.threads()
                .run(
                        node.id,
                        call -> {
                            waitUnlessLocal(call, node);
                            ErrnoFailures.check(Kernel.fstatfs(call.scratch, node.descriptor));
                            return space(call.scratch, node.mounted);
                        });
    }

    /** An error of a disk makes a file system read-only, too, so it is asked each time. */
    boolean isReadOnly(LinuxNode node) throws StoreException {
        return store.threads()
                .run(
                        node.id,
                        call -> {
                            waitUnlessLocal(call, node);
                            ErrnoFailures.check(Kernel.fstatfs(call.scratch, node.descriptor));
                            return (call.scratch.number(Scratch.STATFS + 80) & READ_ONLY) != 0;
                        });
    }

    private static SpaceStatus space(Scratch scratch, MountedFileSystem mounted) {
        int at = Scratch.STATFS;
        long fragment = scratch.number(at + 72);
        long block = scratch.number(at + 8);
        long unit = fragment > 0 ? fragment : block > 0 ? block : SCALE_DEFAULT;
        return new SpaceStatus(
                scratch.number(at + 16) * unit,
                scratch.number(at + 24) * unit,
                scratch.number(at + 32) * unit,
                scratch.number(at + 40),
                scratch.number(at + 48),
                scratch.number(at + 48),
                mounted.nameMax(),
                mounted.features().limits().linksMax());
    }

    Changed<Void> set(
            DataUse use,
            Basis basis,
            AttributeChanges changes,
            Optional<Time> guard,
            Storage storage)
            throws StoreException {
        return change(
                use.node(),
                changes.equals(AttributeChanges.NONE) ? Storage.ASYNC : storage,
                call -> {
                    if (guard.isPresent() && !guard.get().equals(changed(call.scratch))) {
                        throw new StoreException(Failure.NOT_SYNC);
                    }
                    apply(call, use, basis, changes);
                    return null;
                });
    }

    private static Time changed(Scratch scratch) {
        return new Time(Statx.changedSeconds(scratch), Statx.changedNanos(scratch));
    }

    /**
     * Changes attributes, and reports those from before and after. The lock of the file excludes
     * other such changes.
     *
     * @param change finds the attributes of the file in the scratch
     */
    Changed<Void> change(LinuxNode node, Storage storage, FileThreads.Operation<Void> change)
            throws StoreException {
        Changed<Void> changed;
        try (var _ = store.locks().lock(node.id);
                var span = store.concurrentChanges().begin(node.id)) {
            changed =
                    store.threads()
                            .runWaiting(
                                    node.id,
                                    call -> {
                                        var before = node.status(call.scratch);
                                        change.run(call);
                                        return new Changed<>(
                                                span.isAlone()
                                                        ? Optional.of(before)
                                                        : Optional.empty(),
                                                Optional.of(node.status(call.scratch)),
                                                null);
                                    });
        } catch (StoreException failed) {
            if (!failed.attributesSet().isEmpty()) {
                sync(node, storage);
            }
            throw failed;
        }
        sync(node, storage);
        return changed;
    }

    private void sync(LinuxNode node, Storage storage) throws StoreException {
        if (storage == Storage.SYNC) {
            store.syncs().sync(node, null);
        }
    }

    /**
     * Sets attributes in the order of the Linux nfsd: the size alone, the owner, the mode, the
     * access control lists, and then the times, which the earlier steps change.
     *
     * @throws StoreException with the attributes that were set before a failure
     */
    void apply(Call call, DataUse use, Basis basis, AttributeChanges changes)
            throws StoreException {
        if (changes.uid().equals(NO_ID) || changes.gid().equals(NO_ID)) {
            // The kernel reads this id as "leave the owner unchanged".
            throw new StoreException(Failure.INVAL);
        }
        var set = EnumSet.noneOf(Attribute.class);
        try {
            apply(call, use, basis, changes, set);
        } catch (StoreException failed) {
            throw set.isEmpty() ? failed : failed.after(set);
        }
    }

    /**
     * @param set receives the attributes that are set
     */
    private void apply(
            Call call, DataUse use, Basis basis, AttributeChanges changes, EnumSet<Attribute> set)
            throws StoreException {
        var node = use.node();
        if (changes.size().isPresent()) {
            resize(call, use, changes.size().getAsLong());
            set.add(Attribute.SIZE);
        }
        node.stat(call.scratch);
        if (changes.changesTimes() && changes.setsOnlyCurrentTimes()) {
            // A caller with the right to write may set the current time; only the owner may set
            // another.
            Rights.require(call, node, use.caller(), Permission.WRITE);
            node.stat(call.scratch);
        }
        synchronized (node) {
            if (changes.changesOwner()) {
                ErrnoFailures.check(
                        call.as(use.caller(), scratch -> setOwner(scratch, node, changes)));
                addIf(changes.uid().isPresent(), Attribute.OWNER, set);
                addIf(changes.gid().isPresent(), Attribute.GROUP, set);
            }
            if (changes.mode().isPresent()) {
                ErrnoFailures.check(
                        call.as(use.caller(), scratch -> setMode(scratch, node, changes)));
                set.add(Attribute.MODE);
            }
            if (changes.acls().isPresent()) {
                acls.set(call, node, use.caller(), changes.acls().get());
                set.add(Attribute.ACLS);
            }
        }
        if (changes.changesTimes()) {
            setTimes(call, use, basis, changes);
            addIf(!(changes.accessed() instanceof TimeChange.Keep), Attribute.ACCESSED, set);
            addIf(!(changes.modified() instanceof TimeChange.Keep), Attribute.MODIFIED, set);
        }
    }

    private static void addIf(boolean condition, Attribute attribute, EnumSet<Attribute> set) {
        if (condition) {
            set.add(attribute);
        }
    }

    private void resize(Call call, DataUse use, long size) throws StoreException {
        use.node().requireRegular();
        if (size < 0) {
            throw new StoreException(Failure.FBIG);
        }
        var data = access.openToWrite(call, use);
        boolean isOwner = call.owns(use.caller());
        try {
            ErrnoFailures.check(
                    DataAccess.change(
                            call,
                            data,
                            use.caller(),
                            scratch -> resize(scratch, data.descriptor, isOwner, size)));
        } finally {
            store.data().release(data);
        }
    }

    private static int resize(Scratch scratch, int descriptor, boolean isOwner, long size) {
        int checked = Rights.check(scratch, descriptor, isOwner);
        return checked < 0 ? checked : Kernel.ftruncate(scratch, descriptor, size);
    }

    private static int setOwner(Scratch scratch, LinuxNode node, AttributeChanges changes) {
        return Kernel.fchown(
                scratch,
                node.descriptor,
                changes.uid().orElse(Caller.NO_ID),
                changes.gid().orElse(Caller.NO_ID));
    }

    /** Sets the mode. The mode of a symbolic link has no meaning and stays unchanged. */
    private static int setMode(Scratch scratch, LinuxNode node, AttributeChanges changes) {
        if (node.type == FileType.SYMBOLIC_LINK) {
            return 0;
        }
        int mode = changes.mode().getAsInt() & MODE_MASK;
        if (changes.changesOwner() && !node.isDirectory()) {
            // A set-ID program must not run with the ids of its new owner.
            mode &= ~SET_USER;
            mode &= (mode & GROUP_EXECUTE) != 0 ? ~SET_GROUP : ~0;
        }
        return Kernel.fchmod(scratch, node.descriptor, mode);
    }

    private void setTimes(Call call, DataUse use, Basis basis, AttributeChanges changes)
            throws StoreException {
        var node = use.node();
        boolean mayAnyway = changes.setsOnlyCurrentTimes() || basis == Basis.DELEGATION;
        int result = call.as(use.caller(), scratch -> setTimes(scratch, node, changes));
        if (result == -Errno.PERM && mayAnyway) {
            // The caller has the right to write, or had it when it got the delegation. Linux
            // demands the owner if only one of the times is set to now, or one to another time.
            result = setTimes(call.scratch, node, changes);
        }
        ErrnoFailures.check(result);
    }

    /** Sets times with the current rights of the thread. */
    static int setTimes(Scratch scratch, LinuxNode node, AttributeChanges changes) {
        put(scratch, 0, changes.accessed());
        put(scratch, 1, changes.modified());
        return Kernel.utimens(scratch, node.descriptor, scratch.address + Scratch.TIMES);
    }

    private static void put(Scratch scratch, int index, TimeChange change) {
        switch (change) {
            case TimeChange.Keep() -> Kernel.time(scratch, index, 0, TIME_KEEP);
            case TimeChange.Now() -> Kernel.time(scratch, index, 0, TIME_NOW);
            case TimeChange.To(var time) ->
                    Kernel.time(scratch, index, time.seconds(), time.nanos());
        }
    }
}
