package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.Node;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.store.linux.FileThreads.Call;

/** Checks the rights of callers by asking the kernel, and caches its answers. */
final class Rights {
    private static final int ALL_BITS = Node.READ | Node.WRITE | Node.EXECUTE;

    private Rights() {}

    /**
     * Checks that a caller has rights, by a cached or new answer of the kernel. The scratch must
     * hold the attributes of the file, and holds them afterwards.
     *
     * @param wanted rights of {@link Node}
     * @throws StoreException ACCES if it lacks one of them
     */
    static void require(Call call, LinuxNode node, Caller caller, int wanted)
            throws StoreException {
        if (granted(call, node, caller, wanted) != wanted) {
            throw new StoreException(Failure.ACCES);
        }
    }

    /** Checks that a caller may write to a file. The owner may, against the mode. */
    static void requireToWrite(Call call, LinuxNode node, Caller caller) throws StoreException {
        if (!call.owns(caller)) {
            require(call, node, caller, Node.WRITE);
        }
    }

    /** Returns the wanted rights that the caller has. */
    static int granted(Call call, LinuxNode node, Caller caller, int wanted) throws StoreException {
        if (caller instanceof Caller.Server) {
            return wanted;
        }
        var known = node.grant(caller);
        if (known != null && known.holds(call.scratch, wanted)) {
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
        node.stat(call.scratch);
        int granted = Failures.check(call.as(caller, scratch -> query(scratch, node.descriptor)));
        return Grant.of(call.scratch, ALL_BITS, granted, now);
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
}
