package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.FileChanges;
import io.github.rpcrdma4j.linux.FileLeases;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.KernelLease.Listener;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Tells the owners of kernel leases of conflicts, and of changes of their files. One platform
 * thread receives both while there are leases. Thread-safe.
 */
final class LeaseWatch {
    private static final System.Logger LOG = System.getLogger(LeaseWatch.class.getName());
    private static final FailureLog FAILURES = new FailureLog(LOG);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Stands for no watch yet. */
    private static final int NONE = -1;

    /**
     * A lease.
     *
     * @param watch that of its file
     */
    private record Watched(int type, int watch, Listener listener) {}

    /**
     * Where the kernel tells what happens.
     *
     * @param thread its number, or a negative error number
     * @param queue where notices of changes are read, or a negative error number
     */
    record Receiver(int thread, int queue) {
        static Receiver open(Scratch scratch) {
            int thread = FileLeases.receiveConflicts(scratch);
            return new Receiver(thread, thread < 0 ? thread : FileChanges.open(scratch, thread));
        }

        /** Returns 0 if both are there. */
        int error() {
            return Math.min(0, Math.min(thread, queue));
        }
    }

    /** What this process lacks, so that files are not delegated. */
    private enum Lack {
        /** Room for watches, or for a queue of them. */
        WATCHES,
        /** The right to leases on files of other users. */
        RIGHT
    }

    private final Function<Scratch, Receiver> opening;

    /** By descriptor. The monitor of the map guards all fields. */
    private final Map<Integer, Watched> leases = new HashMap<>();

    /** The descriptors of the leases of a file, by its watch: it may be in several exports. */
    private final Map<Integer, Set<Integer>> files = new HashMap<>();

    /** Null if no thread runs. */
    private CompletableFuture<Receiver> receiver;

    /** What the operator has been warned of: once for each. */
    private final Set<Lack> warned = EnumSet.noneOf(Lack.class);

    /** Its monitor is held while notices are read and told, and while their queue is closed. */
    private final Object reading = new Object();

    LeaseWatch() {
        this(Receiver::open);
    }

    /**
     * @param opening called by the thread that receives
     */
    LeaseWatch(Function<Scratch, Receiver> opening) {
        this.opening = opening;
    }

    /**
     * Takes a lease and watches its file.
     *
     * @return 0, or a negative error number
     */
    int set(Scratch scratch, int descriptor, int type, Listener listener) {
        CompletableFuture<Receiver> starting;
        synchronized (leases) {
            if (receiver == null) {
                var started = new CompletableFuture<Receiver>();
                Thread.ofPlatform().daemon().name("nfs-leases-kernel").start(() -> watch(started));
                receiver = started;
            }
            leases.put(descriptor, new Watched(type, NONE, listener));
            starting = receiver;
        }
        var receives = await(starting, descriptor);
        int result =
                receives.error() < 0
                        ? receives.error()
                        : set(scratch, descriptor, type, listener, receives);
        if (result < 0) {
            forget(scratch, descriptor, receives);
        }
        return result;
    }

    private Receiver await(CompletableFuture<Receiver> starting, int descriptor) {
        try {
            return starting.join();
        } catch (CompletionException broken) {
            synchronized (leases) {
                leases.remove(descriptor);
            }
            throw new IllegalStateException("no thread receives conflicts", broken.getCause());
        }
    }

    private int set(
            Scratch scratch, int descriptor, int type, Listener listener, Receiver receives) {
        int registered = NONE;
        int watch = FileChanges.watch(scratch, receives.queue, descriptor);
        // The last lease of another export may have ended the watch before it was registered here.
        while (watch >= 0 && watch != registered) {
            register(descriptor, new Watched(type, watch, listener));
            registered = watch;
            watch = FileChanges.watch(scratch, receives.queue, descriptor);
        }
        if (watch < 0) {
            warn(watch);
            return watch;
        }
        int result = FileLeases.set(scratch, descriptor, type, receives.thread);
        if (result == -Errno.ACCES) {
            warn(
                    Lack.RIGHT,
                    "files of other users are not delegated, because the process has no CAP_LEASE:"
                            + " see --delegations");
        }
        return result;
    }

    private void register(int descriptor, Watched watched) {
        synchronized (leases) {
            removeFromFile(descriptor);
            leases.put(descriptor, watched);
            files.computeIfAbsent(watched.watch, _ -> new HashSet<>()).add(descriptor);
        }
    }

    /** Returns whether it was the last one of its file. The caller has the monitor. */
    private boolean removeFromFile(int descriptor) {
        int watch = leases.get(descriptor).watch;
        var ofFile = files.get(watch);
        boolean isLast = ofFile != null && ofFile.remove(descriptor) && ofFile.isEmpty();
        if (isLast) {
            files.remove(watch);
        }
        return isLast;
    }

    private void warn(int error) {
        warn(
                Lack.WATCHES,
                "files are not delegated because the kernel does not watch them (error "
                        + -error
                        + "): see sysctl fs.inotify, and the limit of open files");
    }

    private void warn(Lack lack, String what) {
        synchronized (leases) {
            if (!warned.add(lack)) {
                return;
            }
        }
        LOG.log(Level.WARNING, what);
    }

    /** Returns whether there are any. */
    boolean hasLeases() {
        synchronized (leases) {
            return !leases.isEmpty();
        }
    }

    /** Gives a lease up. */
    void end(Scratch scratch, int descriptor) {
        FileLeases.end(scratch, descriptor);
        // The thread stays while there are leases.
        forget(scratch, descriptor, current());
    }

    private void forget(Scratch scratch, int descriptor, Receiver receives) {
        synchronized (leases) {
            int watch = leases.get(descriptor).watch;
            if (removeFromFile(descriptor)) {
                // Within the monitor: a watch that is registered is not ended.
                FileChanges.end(scratch, receives.queue, watch);
            }
            leases.remove(descriptor);
        }
    }

    private void watch(CompletableFuture<Receiver> started) {
        Scratch scratch;
        Receiver receives;
        try {
            scratch = new Scratch();
            receives = opening.apply(scratch);
        } catch (RuntimeException | Error error) {
            synchronized (leases) {
                receiver = null;
            }
            started.completeExceptionally(error);
            return;
        }
        if (receives.error() < 0) {
            warn(receives.error());
            synchronized (leases) {
                // The next lease tries again.
                receiver = null;
            }
        }
        started.complete(receives);
        while (receives.error() == 0 && !isOver()) {
            try {
                int told = FileLeases.awaitConflict(scratch, LOOK_NANOS);
                if (told == FileLeases.ANY) {
                    tellConflicts(scratch);
                    tellChanges(scratch);
                } else if (told == receives.queue) {
                    tellChanges(scratch);
                } else if (told >= 0) {
                    tellConflict(told);
                }
            } catch (RuntimeException | Error error) {
                FAILURES.report("an internal error in kernel leases", error);
            }
        }
        if (receives.queue >= 0) {
            synchronized (reading) {
                FileChanges.close(scratch, receives.queue);
            }
        }
        FileLeases.dropConflicts(scratch);
    }

    /** Returns whether there are no leases, so that the thread ends. */
    private boolean isOver() {
        synchronized (leases) {
            boolean isOver = leases.isEmpty();
            if (isOver) {
                receiver = null;
            }
            return isOver;
        }
    }

    private void tellConflict(int descriptor) {
        Watched found;
        synchronized (leases) {
            found = leases.get(descriptor);
        }
        if (found != null) {
            found.listener.conflict();
        }
    }

    /** The kernel does not say which lease it is. */
    private void tellConflicts(Scratch scratch) {
        Map<Integer, Watched> all;
        synchronized (leases) {
            all = Map.copyOf(leases);
        }
        all.forEach(
                (descriptor, each) -> {
                    if (FileLeases.isInConflict(scratch, descriptor, each.type)) {
                        each.listener.conflict();
                    }
                });
    }

    /** Tells the owners of leases of all changes so far before it returns. */
    void tellChanges() {
        var scratch = Scratch.acquire();
        try {
            tellChanges(scratch);
        } finally {
            scratch.release();
        }
    }

    private void tellChanges(Scratch scratch) {
        synchronized (reading) {
            var receives = current();
            if (receives != null && receives.error() == 0) {
                FileChanges.read(scratch, receives.queue, this::tellChange);
            }
        }
    }

    /** Returns what receives, or null. */
    private Receiver current() {
        synchronized (leases) {
            return receiver == null ? null : receiver.getNow(null);
        }
    }

    private void tellChange(int watch) {
        List<Watched> found;
        synchronized (leases) {
            var descriptors =
                    watch == FileChanges.ANY
                            ? leases.keySet()
                            : files.getOrDefault(watch, Set.of());
            found = descriptors.stream().map(leases::get).toList();
        }
        found.forEach(each -> each.listener.changed());
    }
}
