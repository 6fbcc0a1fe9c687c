package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.Node;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.store.linux.FileThreads.Call;

/** What callers may do with a file: the kernel says so, and its word is remembered. */
final class Rights {
    private static final int ALL_BITS = Node.READ | Node.WRITE | Node.EXECUTE;

    private Rights() {}

    /**
     * Checks that a caller may do something, by what the kernel said or says now. The attributes of
     * the file are in the scratch, before and after.
     *
     * @param wanted bits of {@link Node}
     * @throws StoreException ACCES
     */
    static void require(Call call, LinuxNode node, Caller caller, int wanted)
            throws StoreException {
        if (granted(call, node, caller, wanted) != wanted) {
            throw new StoreException(Failure.ACCES);
        }
    }

    /** Checks that a caller may write to a file, as its owner may whatever the mode says. */
    static void requireToWrite(Call call, LinuxNode node, Caller caller) throws StoreException {
        if (!call.owns(caller)) {
            require(call, node, caller, Node.WRITE);
        }
    }

    /** Those of the wanted bits that the caller is granted. */
    static int granted(Call call, LinuxNode node, Caller caller, int wanted) throws StoreException {
        if (caller instanceof Caller.Server) {
            return wanted;
        }
        var known = node.grant(caller);
        if (known != null && known.holds(call.scratch, wanted)) {
            return known.granted() & wanted;
        }
        var grant = ask(call, node, caller);
        node.learn(caller, grant);
        return grant.granted() & wanted;
    }

    /** Asks the kernel what a caller may do. */
    private static Grant ask(Call call, LinuxNode node, Caller caller) throws StoreException {
        call.mustWait();
        long now = System.currentTimeMillis();
        node.stat(call.scratch);
        int granted = Failures.check(call.as(caller, scratch -> ask(scratch, node.descriptor)));
        return Grant.of(call.scratch, ALL_BITS, granted, now);
    }

    private static int ask(Scratch scratch, int descriptor) {
        int granted = 0;
        for (int bit = Node.READ; bit > 0; bit >>= 1) {
            if (Kernel.faccess(scratch, descriptor, bit) == 0) {
                granted |= bit;
            }
        }
        return granted;
    }
}
