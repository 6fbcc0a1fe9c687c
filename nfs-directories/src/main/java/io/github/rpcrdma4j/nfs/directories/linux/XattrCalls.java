package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Xattrs;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.XattrRule;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Operations on the extended attributes of users (RFC 8276). Those of other namespaces, which
 * include access control lists and labels of security, are not reached.
 *
 * <p>Tests: {@code LinuxStoreContractTest}, {@code RightsTest}.
 */
record XattrCalls(LinuxStore store, AttributeCalls attributes) {
    private static final byte[] PREFIX = "user.".getBytes();

    byte[] value(LinuxNode node, Caller caller, FileName name) throws StoreException {
        requireType(node, Failure.NOXATTR);
        byte[] key = key(name);
        return store.threads()
                .runWaiting(
                        node.id,
                        call -> {
                            node.stat(call.scratch);
                            try (var arena = Arena.ofConfined()) {
                                var value = arena.allocate(Xattrs.VALUE_MAX);
                                int bytes =
                                        call.as(
                                                caller,
                                                scratch ->
                                                        Xattrs.get(
                                                                scratch,
                                                                node.descriptor,
                                                                scratch.text(Scratch.NAME, key),
                                                                value.address(),
                                                                value.byteSize()));
                                return bytes(value, ErrnoFailures.check(bytes));
                            }
                        });
    }

    private static byte[] bytes(MemorySegment memory, int length) {
        return memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * Returns the name in the kernel.
     *
     * @throws StoreException INVAL for what is no name; NAMETOOLONG
     */
    private static byte[] key(FileName name) throws StoreException {
        if (PREFIX.length + name.length() > Xattrs.NAME_MAX) {
            throw new StoreException(Failure.NAMETOOLONG);
        }
        byte[] bytes = name.bytes();
        byte[] key = new byte[PREFIX.length + bytes.length];
        System.arraycopy(PREFIX, 0, key, 0, PREFIX.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                throw new StoreException(Failure.INVAL);
            }
            key[PREFIX.length + i] = bytes[i];
        }
        if (bytes.length == 0) {
            throw new StoreException(Failure.INVAL);
        }
        return key;
    }

    /** Returns whether a file may have such attributes: those of others have none in Linux. */
    private static boolean mayHave(LinuxNode node) {
        return node.isDirectory() || node.type == FileType.REGULAR;
    }

    /**
     * @throws StoreException the failure, if a file has no such attributes because of its type
     */
    private static void requireType(LinuxNode node, Failure failure) throws StoreException {
        if (!mayHave(node)) {
            throw new StoreException(failure);
        }
    }

    /**
     * The kernel lists names without a check, but a client may only know those of what it reads.
     */
    List<FileName> names(LinuxNode node, Caller caller) throws StoreException {
        return store.threads()
                .runWaiting(
                        node.id,
                        call -> {
                            node.stat(call.scratch);
                            Rights.require(call, node, caller, Permission.XATTRS);
                            if (!node.mounted.features().xattrs()) {
                                throw new StoreException(Failure.NOTSUPP);
                            }
                            if (!mayHave(node)) {
                                return List.of();
                            }
                            try (var arena = Arena.ofConfined()) {
                                var list = arena.allocate(Xattrs.VALUE_MAX);
                                int bytes =
                                        Xattrs.list(
                                                call.scratch,
                                                node.descriptor,
                                                list.address(),
                                                list.byteSize());
                                return names(bytes(list, ErrnoFailures.check(bytes)));
                            }
                        });
    }

    /**
     * Returns the names of users in a list of the kernel.
     *
     * @param list names, each with a NUL
     */
    static List<FileName> names(byte[] list) {
        var names = new ArrayList<FileName>();
        int start = 0;
        for (int at = 0; at < list.length; at++) {
            if (list[at] == 0) {
                var name = MemorySegment.ofArray(list).asSlice(start, at - start);
                if (isOfUser(name)) {
                    names.add(new FileName(name.asSlice(PREFIX.length)));
                }
                start = at + 1;
            }
        }
        return names;
    }

    private static boolean isOfUser(MemorySegment name) {
        return name.byteSize() > PREFIX.length
                && name.asSlice(0, PREFIX.length).mismatch(MemorySegment.ofArray(PREFIX)) < 0;
    }

    Changed<Void> set(
            LinuxNode node,
            Caller caller,
            FileName name,
            byte[] value,
            XattrRule rule,
            Storage storage)
            throws StoreException {
        requireType(node, Failure.PERM);
        byte[] key = key(name);
        if (value.length > Xattrs.VALUE_MAX) {
            throw new StoreException(Failure.XATTR2BIG);
        }
        int flags =
                switch (rule) {
                    case EITHER -> 0;
                    case CREATE -> Xattrs.CREATE;
                    case REPLACE -> Xattrs.REPLACE;
                };
        try (var arena = Arena.ofConfined()) {
            var memory = arena.allocate(Math.max(1, value.length));
            MemorySegment.copy(value, 0, memory, ValueLayout.JAVA_BYTE, 0, value.length);
            return change(
                    node,
                    caller,
                    storage,
                    scratch ->
                            Xattrs.set(
                                    scratch,
                                    node.descriptor,
                                    scratch.text(Scratch.NAME, key),
                                    memory.address(),
                                    value.length,
                                    flags));
        }
    }

    Changed<Void> remove(LinuxNode node, Caller caller, FileName name, Storage storage)
            throws StoreException {
        requireType(node, Failure.PERM);
        byte[] key = key(name);
        return change(
                node,
                caller,
                storage,
                scratch ->
                        Xattrs.remove(scratch, node.descriptor, scratch.text(Scratch.NAME, key)));
    }

    private Changed<Void> change(
            LinuxNode node, Caller caller, Storage storage, FileThreads.Section changing)
            throws StoreException {
        return attributes.change(
                node,
                storage,
                call -> {
                    ErrnoFailures.check(call.as(caller, changing));
                    return null;
                });
    }
}
