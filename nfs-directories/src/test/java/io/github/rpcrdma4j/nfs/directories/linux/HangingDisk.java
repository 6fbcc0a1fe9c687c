package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens stores whose disk hangs until the test lets it go on: forces of data, and as many creations
 * and moves of files, and forces of whole file systems, as the test asks for. Creations keep the
 * lock of their directory meanwhile.
 */
public final class HangingDisk {
    private static final int DESCRIPTORS = 1024;

    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final Map<LinuxStores.Step, AtomicInteger> hanging =
            Map.of(
                    LinuxStores.Step.NAMED, new AtomicInteger(),
                    LinuxStores.Step.MOVE, new AtomicInteger(),
                    LinuxStores.Step.SYNC_ALL, new AtomicInteger());
    private final AtomicInteger syncs = new AtomicInteger();
    private final Map<LinuxStores.Step, Semaphore> begun =
            Map.of(
                    LinuxStores.Step.NAMED, new Semaphore(0),
                    LinuxStores.Step.MOVE, new Semaphore(0),
                    LinuxStores.Step.SYNC_ALL, new Semaphore(0));
    private LinuxStores stores;

    /** Makes further creations hang. */
    public void hangCreations(int number) {
        hanging.get(LinuxStores.Step.NAMED).addAndGet(number);
    }

    /** Makes further moves to another directory hang. */
    public void hangMoves(int number) {
        hanging.get(LinuxStores.Step.MOVE).addAndGet(number);
    }

    /** Makes it hang when whole file systems are forced to storage. */
    public void hangSyncs(int number) {
        hanging.get(LinuxStores.Step.SYNC_ALL).addAndGet(number);
    }

    /** Returns how often a whole file system was to be forced to storage. */
    public int syncs() {
        return syncs.get();
    }

    /** Waits until it was so often. */
    public void awaitSyncs(int number) throws InterruptedException {
        begun.get(LinuxStores.Step.SYNC_ALL).acquire(number);
    }

    /** Waits until so many moves have begun. */
    public void awaitMoves(int number) throws InterruptedException {
        begun.get(LinuxStores.Step.MOVE).acquire(number);
    }

    /** Ends all that hangs. Nothing hangs from now on. */
    public void goOn() {
        mayEnd.countDown();
    }

    /** Opens a directory. */
    public synchronized FileStore open(Path root, long fileSystem, WriteVerifier verifier)
            throws IOException {
        if (stores == null) {
            stores = new LinuxStores(DESCRIPTORS, DESCRIPTORS, DESCRIPTORS, this::force, this::at);
        }
        return stores.open(root, false, fileSystem, verifier);
    }

    private int force(Scratch scratch, int descriptor, boolean dataOnly) {
        awaitEnd();
        return DataFiles.Force.KERNEL.force(scratch, descriptor, dataOnly);
    }

    private void at(LinuxStores.Step step) {
        if (step == LinuxStores.Step.SYNC_ALL) {
            syncs.incrementAndGet();
        }
        begun.get(step).release();
        if (hanging.get(step).getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
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
