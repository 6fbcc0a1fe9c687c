package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.directories.linux.LinuxStores.Step;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Makes files with the rights of their callers. Every method returns a node that its caller
 * releases, or none if the name belongs to another file afterwards.
 *
 * <p>Tests: {@code LinuxStoreContractTest}, {@code LocalProcessesTest}.
 */
record Creations(LinuxStore store) {
    private static final int MODE_MASK = 07777;
    private static final int PERMISSIONS = 0777;
    private static final int SET_IDS = 06000;
    private static final int FORMAT_FIFO = 0010000;
    private static final int FORMAT_SOCKET = 0140000;
    private static final int FORMAT_CHARACTER = 0020000;
    private static final int FORMAT_BLOCK = 0060000;
    static final int OPEN_NEW =
            Kernel.O_CREAT | Kernel.O_EXCL | Kernel.O_WRONLY | Kernel.O_NONBLOCK | Kernel.O_NOCTTY;

    MadeNode file(Call call, ChildName child, Creation how) throws StoreException {
        return switch (how) {
            case Creation.Unchecked(var attributes) -> {
                var made = newFile(call, child, attributes);
                yield made != null
                        ? MadeNode.ofNew(made)
                        : new MadeNode(existing(call, child, attributes), false);
            }
            case Creation.Guarded(var attributes) -> {
                var made = newFile(call, child, attributes);
                if (made == null) {
                    throw new StoreException(Failure.EXIST);
                }
                yield MadeNode.ofNew(made);
            }
            case Creation.Exclusive(var verifier, var attributes) ->
                    exclusive(call, child, verifier, attributes);
        };
    }

    /**
     * Returns the attributes of a new file with the mode that the kernel makes it with.
     *
     * @throws StoreException INVAL for a default list of what is no directory
     */
    private static AttributeChanges ofNew(
            Call call, ChildName child, FileType type, AttributeChanges wanted)
            throws StoreException {
        int mode = wanted.mode().orElse(0) & MODE_MASK;
        if (wanted.acls().isPresent()) {
            AclCalls.requirePlace(wanted.acls().get(), type == FileType.DIRECTORY);
            // Until it has its list, only its owner may use it.
            mode &= ~PERMISSIONS;
        } else if (wanted.umask().isPresent()
                && !AclCalls.hasDefaults(call.scratch, child.parent())) {
            mode &= ~(wanted.umask().getAsInt() & PERMISSIONS);
        }
        return new AttributeChanges(
                OptionalInt.of(mode),
                OptionalInt.empty(),
                wanted.uid(),
                wanted.gid(),
                wanted.size(),
                wanted.acls(),
                wanted.accessed(),
                wanted.modified());
    }

    /** Makes a regular file; returns null if the name exists. */
    private LinuxNode newFile(Call call, ChildName child, AttributeChanges wanted)
            throws StoreException {
        var attributes = ofNew(call, child, FileType.REGULAR, wanted);
        int descriptor = create(call, child, attributes.mode().orElseThrow());
        if (descriptor == -Errno.EXIST) {
            return null;
        }
        ErrnoFailures.check(descriptor);
        store.all().at(Step.NAMED);
        LinuxNode node;
        // The number of the inode is nobody else's while it is open.
        try {
            var made = NewInode.of(call.scratch, descriptor);
            try {
                node = node(call, descriptor);
            } catch (StoreException | RuntimeException failure) {
                remove(call, child, made, 0);
                throw failure;
            }
        } finally {
            Kernel.close(call.scratch, descriptor);
        }
        return withAttributes(call, child, node, attributes);
    }

    /**
     * Removes a new file, so that a failed call leaves none.
     *
     * @param made null if it is not known, and stays
     */
    private static void remove(Call call, ChildName child, NewInode made, int flags)
            throws StoreException {
        if (made != null) {
            child.make(
                    call,
                    (scratch, directory, name) -> made.remove(scratch, directory, name, flags));
        }
    }

    private int create(Call call, ChildName child, int mode) throws StoreException {
        int result = createOnce(call, child, mode);
        if (ErrnoFailures.isOutOfDescriptors(result)) {
            store.all().shrink();
            result = createOnce(call, child, mode);
        }
        return result;
    }

    private static int createOnce(Call call, ChildName child, int mode) throws StoreException {
        return child.make(
                call,
                (scratch, directory, name) ->
                        Kernel.openat(
                                scratch, directory, name, OPEN_NEW | Kernel.noFollow(), mode));
    }

    /** Returns the node of a descriptor that is open for writing. */
    private LinuxNode node(Call call, int descriptor) throws StoreException {
        int path =
                ErrnoFailures.check(
                        store.opened(() -> Kernel.reopen(call.scratch, descriptor, Kernel.O_PATH)));
        return store.node(call, path);
    }

    /** Sets the remaining attributes of a new file, and removes the file if this fails. */
    private LinuxNode withAttributes(
            Call call, ChildName child, LinuxNode node, AttributeChanges attributes)
            throws StoreException {
        try {
            undoUmask(call, child, node, attributes);
            var rest = afterCreation(child.caller(), attributes);
            if (!rest.equals(AttributeChanges.NONE)) {
                node.stat(call.scratch);
                int mode = Statx.mode(call.scratch) & MODE_MASK;
                apply(call, child, node, rest);
                if (rest.size().isPresent() && !rest.changesOwner() && (mode & SET_IDS) != 0) {
                    // Setting the size clears the set-ID bits, which the new file should have.
                    node.stat(call.scratch);
                    int whole = Statx.mode(call.scratch) & MODE_MASK | mode & SET_IDS;
                    ErrnoFailures.check(
                            call.as(
                                    child.caller(),
                                    scratch -> Kernel.fchmod(scratch, node.descriptor, whole)));
                }
            }
            return node;
        } catch (StoreException failure) {
            undo(call, child, node);
            throw failure.ofNoFile();
        } catch (RuntimeException failure) {
            undo(call, child, node);
            throw failure;
        }
    }

    private static void undo(Call call, ChildName child, LinuxNode node) throws StoreException {
        try {
            var made = NewInode.of(call.scratch, node.descriptor);
            remove(call, child, made, node.isDirectory() ? Kernel.AT_REMOVEDIR : 0);
        } finally {
            node.release();
        }
    }

    private void apply(Call call, ChildName child, LinuxNode node, AttributeChanges attributes)
            throws StoreException {
        var use = new DataUse(node, child.caller(), child.directory().origin());
        store.operations().attributes().apply(call, use, Basis.RIGHTS, attributes);
    }

    /**
     * Sets the mode bits that the umask cleared. Where a default ACL applies, the kernel ignores
     * the umask.
     */
    private void undoUmask(Call call, ChildName child, LinuxNode node, AttributeChanges attributes)
            throws StoreException {
        int mode = attributes.mode().orElse(0) & MODE_MASK;
        if ((mode & store.threads().umask()) == 0
                || node.type == FileType.SYMBOLIC_LINK
                || AclCalls.hasDefaults(call.scratch, child.parent())) {
            return;
        }
        node.stat(call.scratch);
        int made = Statx.mode(call.scratch) & MODE_MASK | mode & store.threads().umask();
        ErrnoFailures.check(
                call.as(child.caller(), scratch -> Kernel.fchmod(scratch, node.descriptor, made)));
    }

    /**
     * Returns the attributes that the creation did not set. The mode is set already, and only root
     * may choose an owner, as with the Linux nfsd.
     */
    private static AttributeChanges afterCreation(Caller caller, AttributeChanges attributes) {
        boolean mayGive = !(caller instanceof Caller.User user) || user.uid() == 0;
        return new AttributeChanges(
                OptionalInt.empty(),
                OptionalInt.empty(),
                mayGive ? attributes.uid() : OptionalInt.empty(),
                mayGive ? attributes.gid() : OptionalInt.empty(),
                attributes.size().equals(OptionalLong.of(0))
                        ? OptionalLong.empty()
                        : attributes.size(),
                attributes.acls(),
                attributes.accessed(),
                attributes.modified());
    }

    /** Opens an existing file and sets its size if one was requested. */
    private LinuxNode existing(Call call, ChildName child, AttributeChanges attributes)
            throws StoreException {
        var node = child.findMounted(call);
        try {
            if (node.isDirectory()) {
                throw new StoreException(Failure.EXIST);
            }
            if (attributes.size().isPresent() && node.type == FileType.REGULAR) {
                try (var _ = store.concurrentChanges().begin(node.id)) {
                    var size = AttributeChanges.ofSize(attributes.size());
                    apply(call, child, node, size);
                }
            }
            return node;
        } catch (StoreException | RuntimeException failure) {
            node.release();
            throw failure;
        }
    }

    /** Makes a file for calls with one verifier, or finds it if an earlier one made it. */
    private MadeNode exclusive(Call call, ChildName child, long verifier, AttributeChanges wanted)
            throws StoreException {
        var attributes = ofNew(call, child, FileType.REGULAR, wanted);
        var file = ExclusiveFile.of(child, verifier, attributes.mode().orElseThrow());
        int descriptor = call.as(child.caller(), file::makeUnnamed);
        if (descriptor == -Errno.OPNOTSUPP || descriptor == -Errno.ISDIR) {
            descriptor = call.as(child.caller(), file::makeNamed);
        }
        if (descriptor != -Errno.EXIST) {
            ErrnoFailures.check(descriptor);
            LinuxNode node;
            try {
                store.all().at(Step.NAMED);
                node = node(call, descriptor);
            } finally {
                Kernel.close(call.scratch, descriptor);
            }
            return MadeNode.ofNew(withAttributes(call, child, node, attributes));
        }
        return new MadeNode(madeBefore(call, child, verifier, attributes), false);
    }

    /**
     * Returns the file that an earlier call with the verifier made. That call may have ended before
     * it had set the attributes that follow the creation. Each user who sees its times knows the
     * verifier, and who guesses it can give another file these times: so the file has the owner
     * that it would have as new, and the caller has only its own rights to it.
     */
    private LinuxNode madeBefore(
            Call call, ChildName child, long verifier, AttributeChanges attributes)
            throws StoreException {
        var there = child.findMounted(call);
        try {
            if (there.type == FileType.REGULAR
                    && ExclusiveFile.isMade(there.status(call.scratch), verifier)
                    && isOwnerOfMade(call, child, Statx.uid(call.scratch), attributes)) {
                apply(call, child, there, afterCreation(child.caller(), attributes));
                return there;
            }
            throw new StoreException(Failure.EXIST);
        } catch (StoreException | RuntimeException failure) {
            there.release();
            throw failure;
        }
    }

    /** Returns whether a creation by the caller would have given a file its owner. */
    private static boolean isOwnerOfMade(
            Call call, ChildName child, int owner, AttributeChanges attributes)
            throws StoreException {
        return call.owns(child.caller())
                || afterCreation(child.caller(), attributes).uid().equals(OptionalInt.of(owner))
                || isOwnerOfNew(call, child, owner);
    }

    LinuxNode directory(Call call, ChildName child, AttributeChanges wanted) throws StoreException {
        var attributes = ofNew(call, child, FileType.DIRECTORY, wanted);
        int mode = attributes.mode().orElseThrow();
        return made(
                call,
                new Unopened(child, FileType.DIRECTORY, Optional.empty()),
                attributes,
                (scratch, directory, name) -> Kernel.mkdirat(scratch, directory, name, mode));
    }

    LinuxNode symbolicLink(Call call, ChildName child, byte[] text, AttributeChanges attributes)
            throws StoreException {
        return made(
                call,
                new Unopened(child, FileType.SYMBOLIC_LINK, Optional.of(text)),
                attributes,
                (scratch, directory, name) ->
                        Kernel.symlinkat(
                                scratch, scratch.text(Scratch.TEXT, text), directory, name));
    }

    LinuxNode special(Call call, ChildName child, SpecialFile file, AttributeChanges wanted)
            throws StoreException {
        var attributes = ofNew(call, child, FileType.FIFO, wanted);
        int mode = attributes.mode().orElseThrow();
        return switch (file) {
            case SpecialFile.Fifo() ->
                    node(call, child, FileType.FIFO, FORMAT_FIFO | mode, 0, attributes);
            case SpecialFile.Socket() ->
                    node(call, child, FileType.SOCKET, FORMAT_SOCKET | mode, 0, attributes);
            case SpecialFile.CharacterDevice(int major, int minor) -> {
                // The kernel reads 0:0 as a whiteout, which hides files of an overlay.
                if (major == 0 && minor == 0) {
                    throw new StoreException(Failure.PERM);
                }
                yield node(
                        call,
                        child,
                        FileType.CHARACTER_DEVICE,
                        FORMAT_CHARACTER | mode,
                        packed(major, minor),
                        attributes);
            }
            case SpecialFile.BlockDevice(int major, int minor) ->
                    node(
                            call,
                            child,
                            FileType.BLOCK_DEVICE,
                            FORMAT_BLOCK | mode,
                            packed(major, minor),
                            attributes);
        };
    }

    /** Returns a device number in the layout of the kernel: 12 bits for major, 20 for minor. */
    private static long packed(int major, int minor) throws StoreException {
        if (major >>> 12 != 0 || minor >>> 20 != 0) {
            throw new StoreException(Failure.INVAL);
        }
        return (long) (minor & 0xff) | (long) major << 8 | (long) (minor & ~0xff) << 12;
    }

    private LinuxNode node(
            Call call,
            ChildName child,
            FileType type,
            int mode,
            long device,
            AttributeChanges attributes)
            throws StoreException {
        return made(
                call,
                new Unopened(child, type, Optional.empty()),
                attributes,
                (scratch, directory, name) ->
                        Kernel.mknodat(scratch, directory, name, mode, device));
    }

    /**
     * What a creation makes that does not open it.
     *
     * @param text that of a symbolic link
     */
    private record Unopened(ChildName child, FileType type, Optional<byte[]> text) {}

    /**
     * Makes a file whose creation does not open it, and opens it. Another process, or a client, can
     * give the name to another file in between: that file is neither returned, nor gets any of the
     * attributes.
     */
    private LinuxNode made(
            Call call, Unopened what, AttributeChanges attributes, ChildName.SystemCall making)
            throws StoreException {
        var child = what.child;
        long before = System.currentTimeMillis();
        ErrnoFailures.check(child.make(call, making));
        store.all().at(Step.NAMED);
        LinuxNode node;
        try {
            node = child.find(call);
        } catch (StoreException gone) {
            return null;
        }
        boolean isSame = false;
        try {
            isSame = isMade(call, what, node, before);
        } catch (StoreException removed) {
            // Another process removed the file.
        } finally {
            if (!isSame) {
                node.release();
            }
        }
        if (!isSame) {
            return null;
        }
        return withAttributes(call, child, node, attributes);
    }

    /**
     * Returns whether a node is what was made, as far as can be told: of the owner that the file
     * would have, as new, and with the same text. It may still be another file that was made for
     * the same owner within two seconds.
     */
    private static boolean isMade(Call call, Unopened what, LinuxNode node, long since)
            throws StoreException {
        node.stat(call.scratch);
        if (node.type != what.type || !isNew(call.scratch, since)) {
            return false;
        }
        if (!call.owns(what.child.caller())
                && !isOwnerOfNew(call, what.child, Statx.uid(call.scratch))) {
            return false;
        }
        return what.text.isEmpty()
                || Arrays.equals(
                        what.text.get(), AttributeCalls.text(call.scratch, node.descriptor));
    }

    /**
     * Returns whether what the caller makes in a directory gets an owner: a mount can map the
     * owners, and some file systems have one owner for all files. Those that do not make files
     * without a name, such as FAT and most of networks, are believed.
     */
    private static boolean isOwnerOfNew(Call call, ChildName child, int owner)
            throws StoreException {
        int descriptor =
                call.as(
                        child.caller(),
                        scratch ->
                                ExclusiveFile.openUnnamed(scratch, child.parent().descriptor, 0));
        if (descriptor < 0) {
            return descriptor == -Errno.OPNOTSUPP || descriptor == -Errno.ISDIR;
        }
        try {
            ErrnoFailures.check(Kernel.statx(call.scratch, descriptor));
            return Statx.uid(call.scratch) == owner;
        } finally {
            Kernel.close(call.scratch, descriptor);
        }
    }

    /**
     * Returns whether a file was made after a time, by its time of birth or, without one, its
     * change time.
     */
    private static boolean isNew(Scratch scratch, long millis) {
        long birth = Statx.birthSeconds(scratch);
        long since = birth == Long.MIN_VALUE ? Statx.changedSeconds(scratch) : birth;
        // Timestamps of files have a coarser clock than the system.
        return since >= Math.floorDiv(millis, 1000) - 1;
    }
}
