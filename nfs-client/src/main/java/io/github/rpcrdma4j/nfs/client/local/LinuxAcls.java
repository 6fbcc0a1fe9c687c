package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Xattrs;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.acl.AclXattr;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.lang.foreign.Arena;
import java.util.Optional;

/**
 * Reads and replaces the access control lists of an open file, which Linux keeps as extended
 * attributes. The descriptor may be an O_PATH one.
 */
final class LinuxAcls {
    private LinuxAcls() {}

    static ExtendedAcls of(Scratch scratch, int descriptor, String what) throws LocalException {
        boolean isDirectory = LinuxAttributes.type(scratch, descriptor, what) == FileType.DIRECTORY;
        return new ExtendedAcls(
                acl(scratch, descriptor, Scratch.ACCESS_ACL, what).filter(acl -> !acl.isMode()),
                isDirectory
                        ? acl(scratch, descriptor, Scratch.DEFAULT_ACL, what)
                        : Optional.empty());
    }

    /**
     * Reads a list; empty if the file has none, or if its file system keeps none.
     *
     * @param name its name in the scratch
     */
    private static Optional<PosixAcl> acl(Scratch scratch, int descriptor, int name, String what)
            throws LocalException {
        long at = scratch.address + name;
        int there = Xattrs.get(scratch, descriptor, at, 0, 0);
        if (there == -Errno.NODATA || there == -Errno.OPNOTSUPP) {
            return Optional.empty();
        }
        LinuxFailures.requireProc(there, what);
        try (var arena = Arena.ofConfined()) {
            var value = arena.allocate(AclXattr.BYTES_MAX);
            int bytes = Xattrs.get(scratch, descriptor, at, value.address(), value.byteSize());
            if (bytes == -Errno.NODATA) {
                return Optional.empty();
            }
            if (bytes == -Errno.RANGE) {
                throw new LocalException(
                        what, Reason.TOO_LARGE, "its access control list is too long");
            }
            var acl = AclXattr.decode(value.asSlice(0, check(bytes, what)));
            if (acl.isEmpty()) {
                throw new LocalException(
                        what, Reason.INPUT_OUTPUT, "its access control list is malformed");
            }
            return acl;
        }
    }

    /** Replaces both lists. A symbolic link has none, and nothing happens. */
    static void set(Scratch scratch, int descriptor, ExtendedAcls acls, String what)
            throws LocalException {
        var type = LinuxAttributes.type(scratch, descriptor, what);
        if (type == FileType.SYMBOLIC_LINK) {
            return;
        }
        set(scratch, descriptor, Scratch.ACCESS_ACL, acls.access(), what);
        if (type == FileType.DIRECTORY) {
            set(scratch, descriptor, Scratch.DEFAULT_ACL, acls.defaults(), what);
        }
    }

    private static void set(
            Scratch scratch, int descriptor, int name, Optional<PosixAcl> acl, String what)
            throws LocalException {
        long at = scratch.address + name;
        if (acl.isEmpty()) {
            int result = Xattrs.remove(scratch, descriptor, at);
            if (result != -Errno.NODATA && result != -Errno.OPNOTSUPP) {
                LinuxFailures.requireProc(result, what);
            }
            return;
        }
        try (var arena = Arena.ofConfined()) {
            var value = AclXattr.encode(acl.get(), arena);
            int result = Xattrs.set(scratch, descriptor, at, value.address(), value.byteSize(), 0);
            if (result == -Errno.INVAL) {
                // A container has only some of the user and group ids.
                throw new LocalException(what, Reason.UNSUPPORTED);
            }
            LinuxFailures.requireProc(result, what);
        }
    }
}
