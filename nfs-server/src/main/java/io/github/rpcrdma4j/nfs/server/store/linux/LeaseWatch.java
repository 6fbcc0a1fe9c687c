package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.FileLeases;
import io.github.rpcrdma4j.linux.Scratch;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Tells the owners of kernel leases of conflicts. One platform thread receives them while there are
 * leases. Thread-safe.
 */
final class LeaseWatch {
    private static final System.Logger LOG = System.getLogger(LeaseWatch.class.getName());
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A lease, and what happens at a conflict. */
    private record Watched(int type, Runnable onConflict) {}

    /** By descriptor. The monitor of the map guards all fields. */
    private final Map<Integer, Watched> leases = new HashMap<>();

    /** The number of the thread; null if none runs. */
    private CompletableFuture<Integer> thread;

    /**
     * Takes a lease and watches it.
     *
     * @return 0, or a negative error number
     */
    int set(Scratch scratch, int descriptor, int type, Runnable onConflict) {
        CompletableFuture<Integer> receiver;
        synchronized (leases) {
            if (thread == null) {
                var number = new CompletableFuture<Integer>();
                Thread.ofPlatform().daemon().name("nfs-leases-kernel").start(() -> watch(number));
                thread = number;
            }
            leases.put(descriptor, new Watched(type, onConflict));
            receiver = thread;
        }
        int number = receiver.join();
        int result = number < 0 ? number : FileLeases.set(scratch, descriptor, type, number);
        if (result < 0) {
            forget(descriptor);
        }
        return result;
    }

    /** Gives a lease up. */
    void end(Scratch scratch, int descriptor) {
        FileLeases.end(scratch, descriptor);
        forget(descriptor);
    }

    private void forget(int descriptor) {
        synchronized (leases) {
            leases.remove(descriptor);
        }
    }

    private void watch(CompletableFuture<Integer> number) {
        var scratch = new Scratch();
        int self = FileLeases.receiveConflicts(scratch);
        number.complete(self);
        while (self >= 0 && !isOver()) {
            try {
                int conflict = FileLeases.awaitConflict(scratch, LOOK_NANOS);
                if (conflict == FileLeases.ANY) {
                    tellAll(scratch);
                } else if (conflict >= 0) {
                    tell(conflict);
                }
            } catch (RuntimeException | Error error) {
                LOG.log(Level.ERROR, "an internal error in kernel leases", error);
            }
        }
    }

    /** Returns whether there are no leases, so that the thread ends. */
    private boolean isOver() {
        synchronized (leases) {
            boolean isOver = leases.isEmpty();
            if (isOver) {
                thread = null;
            }
            return isOver;
        }
    }

    private void tell(int descriptor) {
        Watched found;
        synchronized (leases) {
            found = leases.get(descriptor);
        }
        if (found != null) {
            found.onConflict.run();
        }
    }

    /** The kernel does not say which lease it is. */
    private void tellAll(Scratch scratch) {
        Map<Integer, Watched> all;
        synchronized (leases) {
            all = Map.copyOf(leases);
        }
        all.forEach(
                (descriptor, each) -> {
                    if (FileLeases.isInConflict(scratch, descriptor, each.type)) {
                        each.onConflict.run();
                    }
                });
    }
}
