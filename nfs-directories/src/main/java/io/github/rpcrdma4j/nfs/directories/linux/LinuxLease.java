package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.FileLeases;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.KernelLease;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lease of the kernel on one descriptor. That of a write lease is the only descriptor that the
 * kernel lets this server have of the file, so its data goes through it.
 */
final class LinuxLease implements KernelLease {
    private final LinuxStore store;
    private final int descriptor;

    /** Null for a read lease. */
    private final DataFile data;

    private final AtomicBoolean closed = new AtomicBoolean();

    private LinuxLease(LinuxStore store, int descriptor, DataFile data) {
        this.store = store;
        this.descriptor = descriptor;
        this.data = data;
    }

    static KernelLease open(
            LinuxStore store, DataAccess access, LinuxNode node, Kind kind, Listener listener)
            throws StoreException {
        node.requireRegular();
        store.all().reserveLease();
        boolean isOpen = false;
        try {
            FileThreads.Operation<LinuxLease> opening =
                    call -> open(call, store, access, node, kind, listener);
            var lease = store.uses().begin(() -> store.threads().runWaiting(opening));
            isOpen = true;
            return lease;
        } finally {
            if (!isOpen) {
                store.all().releaseLease();
            }
        }
    }

    private static LinuxLease open(
            FileThreads.Call call,
            LinuxStore store,
            DataAccess access,
            LinuxNode node,
            Kind kind,
            Listener listener)
            throws StoreException {
        node.stat(call.scratch);
        int descriptor =
                switch (kind) {
                    case READ -> access.openForLease(call, node, Kernel.O_RDONLY);
                    case WRITE -> access.openForLease(call, node, Kernel.O_RDWR);
                };
        int type =
                switch (kind) {
                    case READ -> FileLeases.READ;
                    case WRITE -> FileLeases.WRITE;
                };
        boolean isSet = false;
        try {
            ErrnoFailures.check(store.all().leases().set(call.scratch, descriptor, type, listener));
            isSet = true;
        } finally {
            if (!isSet) {
                Kernel.close(call.scratch, descriptor);
            }
        }
        var data = kind == Kind.WRITE ? store.data().lease(store, node, descriptor) : null;
        return new LinuxLease(store, descriptor, data);
    }

    @Override
    public void tellChanges() {
        store.all().leases().tellChanges();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        var scratch = Scratch.acquire();
        try {
            if (data == null) {
                store.all().leases().end(scratch, descriptor);
                Kernel.close(scratch, descriptor);
            } else {
                // No operation begins with it any more, and then processes that wait go on.
                store.data().endLease(data);
                store.all().leases().end(scratch, descriptor);
                store.data().release(data);
            }
        } finally {
            scratch.release();
            store.all().releaseLease();
            store.uses().end();
        }
    }
}
