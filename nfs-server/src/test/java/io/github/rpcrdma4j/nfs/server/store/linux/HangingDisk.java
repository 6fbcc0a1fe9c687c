package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.served.StoreChooser;
import io.github.rpcrdma4j.nfs.server.store.FileStore;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens stores whose disk hangs until the test lets it go on: forces of data, and as many creations
 * of files as the test asks for, which keep the lock of their directory meanwhile.
 */
public final class HangingDisk implements StoreChooser {
    private static final int DESCRIPTORS = 1024;

    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger creations = new AtomicInteger();
    private LinuxStores stores;

    /** Makes further creations hang. */
    public void hangCreations(int number) {
        creations.addAndGet(number);
    }

    /** Ends all that hangs. Nothing hangs from now on. */
    public void goOn() {
        mayEnd.countDown();
    }

    @Override
    public synchronized FileStore open(Export export, long fileSystem, WriteVerifier verifier)
            throws IOException {
        if (stores == null) {
            stores =
                    new LinuxStores(
                            verifier,
                            DESCRIPTORS,
                            DESCRIPTORS,
                            DESCRIPTORS,
                            this::force,
                            this::named);
        }
        return stores.open(export.root(), false, fileSystem);
    }

    private int force(Scratch scratch, int descriptor, boolean dataOnly) {
        awaitEnd();
        return DataFiles.Force.KERNEL.force(scratch, descriptor, dataOnly);
    }

    private void named() {
        if (creations.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            awaitEnd();
        }
    }

    /** Waits despite interrupts, as a system call does. */
    private void awaitEnd() {
        boolean isOver = false;
        while (!isOver) {
            try {
                mayEnd.await();
                isOver = true;
            } catch (InterruptedException _) {
                // It hangs.
            }
        }
    }
}
