package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.store.KernelLease;
import io.github.rpcrdma4j.nfs.store.StoreException;

/**
 * What keeps local processes away from one delegated file. Each method may wait for the file
 * system; one thread at a time calls them.
 */
final class LeasedFile {
    private final Exports exports;
    private final ExportedFile file;
    private final KernelLease.Listener listener;

    /** Null if nothing is held. */
    private KernelLease lease;

    private DelegationKind kind;

    /** Whether a local process waits for the end of the lease. Any thread sets it. */
    private volatile boolean isBroken;

    /**
     * @param listener learns what local processes do
     */
    LeasedFile(Exports exports, ExportedFile file, KernelLease.Listener listener) {
        this.exports = exports;
        this.file = file;
        this.listener =
                new KernelLease.Listener() {
                    @Override
                    public void conflict() {
                        isBroken = true;
                        listener.conflict();
                    }

                    @Override
                    public void changed() {
                        listener.changed();
                    }
                };
    }

    boolean isHeld() {
        return lease != null;
    }

    /**
     * Returns false if a local process has the file open in a way that conflicts, or if there is no
     * lease and the file has several names.
     */
    boolean hold(DelegationKind wanted) {
        if (exports.delegations(file.store()) == Delegations.EXCLUSIVE) {
            return hasOneName();
        }
        if (lease != null) {
            return kind == wanted && !isBroken;
        }
        var kernelKind =
                switch (wanted) {
                    case READ -> KernelLease.Kind.READ;
                    case WRITE -> KernelLease.Kind.WRITE;
                };
        try (var node = file.open()) {
            isBroken = false;
            lease = node.openLease(kernelKind, listener);
            kind = wanted;
            return true;
        } catch (StoreException _) {
            // A delegation is never necessary.
            return false;
        }
    }

    /** Another name may be in another export, where the file is another one. */
    private boolean hasOneName() {
        try (var node = file.open()) {
            return node.status().links() == 1;
        } catch (StoreException _) {
            return false;
        }
    }

    /** Returns what tells the listener of all changes so far; valid after the end, too. */
    Runnable tellingChanges() {
        return lease == null ? () -> {} : lease::tellChanges;
    }

    void end() {
        if (lease != null) {
            var last = lease;
            lease = null;
            last.close();
        }
    }
}
