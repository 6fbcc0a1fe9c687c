package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;

/**
 * Decides by {@link Permission} whether a caller may use a file, by asking the kernel. Caches its
 * answers.
 */
final class Rights {
    private static final int ALL_BITS = Node.READ | Node.WRITE | Node.EXECUTE;

    private Rights() {}

    /**
     * Checks that a caller may use a file, by a cached or new answer of the kernel. The scratch
     * must hold the attributes of the file, and holds them afterwards.
     *
     * @throws StoreException what the permission says, if the caller may not
     */
    static void require(Call call, LinuxNode node, Caller caller, Permission permission)
            throws StoreException {
        if (permission.ownerPasses() && call.owns(caller)
                || permission.equals(Permission.OWNER) && call.isRoot(caller)) {
            return;
        }
        if (!permission.isIn(granted(call, node, caller, permission.asked()))) {
            throw new StoreException(permission.refusal());
        }
    }

    /** Returns the wanted rights that the caller has. */
    static int granted(Call call, LinuxNode node, Caller caller, int wanted) throws StoreException {
        if (caller instanceof Caller.Server) {
            return wanted;
        }
        var known = node.grant(caller);
        if (known != null && known.holds(call.scratch, wanted, System.nanoTime())) {
            return known.granted() & wanted;
        }
        var grant = query(call, node, caller);
        node.put(caller, grant);
        return grant.granted() & wanted;
    }

    /** Queries the kernel for all rights of a caller. */
    private static Grant query(Call call, LinuxNode node, Caller caller) throws StoreException {
        call.mustWait();
        long now = System.currentTimeMillis();
        long asked = System.nanoTime();
        node.stat(call.scratch);
        int granted =
                ErrnoFailures.check(call.as(caller, scratch -> query(scratch, node.descriptor)));
        return Grant.of(node.mounted.datesRights(), call.scratch, ALL_BITS, granted, now, asked);
    }

    private static int query(Scratch scratch, int descriptor) {
        int granted = 0;
        for (int bit = Node.READ; bit > 0; bit >>= 1) {
            if (Kernel.faccess(scratch, descriptor, bit) == 0) {
                granted |= bit;
            }
        }
        return granted;
    }

    /**
     * Checks whether a caller may write, as {@link Permission#WRITE} says, inside a section with
     * the caller's identity. Nobody writes to an immutable file or a read-only file system.
     *
     * @param isOwner whether the file is the caller's
     * @return 0, or a negative error number
     */
    static int check(Scratch scratch, int descriptor, boolean isOwner) {
        int result = Kernel.faccess(scratch, descriptor, Node.WRITE);
        return isOwner && result == -Errno.ACCES ? 0 : result;
    }
}
