package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.linux.Xattrs;
import io.github.rpcrdma4j.nfs.acl.AclXattr;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Acls;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Operations on access control lists, which the kernel keeps as extended attributes. */
record AclCalls(LinuxStore store) {
    Acls of(LinuxNode node) throws StoreException {
        return store.threads()
                .runWaiting(
                        node.id,
                        call -> {
                            node.stat(call.scratch);
                            int mode = Statx.mode(call.scratch);
                            var access = acl(call.scratch, node, Scratch.ACCESS_ACL);
                            return new Acls(
                                    access.orElseGet(() -> PosixAcl.ofMode(mode)),
                                    node.isDirectory()
                                            ? acl(call.scratch, node, Scratch.DEFAULT_ACL)
                                            : Optional.empty());
                        });
    }

    /**
     * Reads a list; empty if the file has none.
     *
     * @param name its name in the scratch
     */
    private static Optional<PosixAcl> acl(Scratch scratch, LinuxNode node, int name)
            throws StoreException {
        try (var arena = Arena.ofConfined()) {
            var value = arena.allocate(AclXattr.BYTES_MAX);
            int bytes =
                    Xattrs.get(
                            scratch,
                            node.descriptor,
                            scratch.address + name,
                            value.address(),
                            value.byteSize());
            if (bytes == -Errno.NODATA || bytes == -Errno.OPNOTSUPP) {
                return Optional.empty();
            }
            if (bytes == -Errno.RANGE) {
                throw new StoreException(Failure.FBIG, "an access control list is too long");
            }
            var acl = AclXattr.decode(value.asSlice(0, ErrnoFailures.check(bytes)));
            if (acl.isEmpty()) {
                throw new StoreException(Failure.IO, "an access control list is malformed");
            }
            return acl;
        }
    }

    /** Sets both lists of a file with the rights of a caller. */
    void set(Call call, LinuxNode node, Caller caller, Acls acls) throws StoreException {
        requirePlace(acls, node.isDirectory());
        try (var arena = Arena.ofConfined()) {
            var access = AclXattr.encode(acls.access(), arena);
            var defaults = acls.defaults().map(acl -> AclXattr.encode(acl, arena)).orElse(null);
            ErrnoFailures.check(
                    call.as(
                            caller,
                            scratch -> {
                                int result = set(scratch, node.descriptor, access);
                                return result < 0 || !node.isDirectory()
                                        ? result
                                        : setDefaults(scratch, node.descriptor, defaults);
                            }));
        }
    }

    /** Refuses a default list of what is no directory. */
    static void requirePlace(Acls acls, boolean isDirectory) throws StoreException {
        if (acls.defaults().isPresent() && !isDirectory) {
            throw new StoreException(Failure.INVAL);
        }
    }

    private static int set(Scratch scratch, int descriptor, MemorySegment acl) {
        return Xattrs.set(
                scratch,
                descriptor,
                scratch.address + Scratch.ACCESS_ACL,
                acl.address(),
                acl.byteSize(),
                0);
    }

    private static int setDefaults(Scratch scratch, int descriptor, MemorySegment acl) {
        long name = scratch.address + Scratch.DEFAULT_ACL;
        if (acl != null) {
            return Xattrs.set(scratch, descriptor, name, acl.address(), acl.byteSize(), 0);
        }
        int result = Xattrs.remove(scratch, descriptor, name);
        return result == -Errno.NODATA ? 0 : result;
    }

    /** Returns whether a directory has a default list, which new files in it inherit. */
    static boolean hasDefaults(Scratch scratch, LinuxNode directory) {
        return Xattrs.get(
                        scratch, directory.descriptor, scratch.address + Scratch.DEFAULT_ACL, 0, 0)
                > 0;
    }
}
