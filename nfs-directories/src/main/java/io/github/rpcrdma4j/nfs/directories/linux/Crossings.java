package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ways of a store into the file systems that are mounted below its root. The first system calls
 * on such a file system may hang. So each way has a place of its own, at which these calls are made
 * and counted: neither the directory around the mount nor another mount waits for them.
 * Thread-safe.
 *
 * <p>Tests: {@code HangingMountsTest}, {@code MountedExportsTest}.
 */
final class Crossings {
    /** The most ways that are remembered; beyond it, all are forgotten. */
    private static final int LOCAL_MAX = 4096;

    private final LinuxStore store;
    private final MountedFileSystems mounts;

    /** The ways that led to file systems that need no other machine or process. */
    private final Set<FileId> local = ConcurrentHashMap.newKeySet();

    Crossings(LinuxStore store, MountedFileSystems mounts) {
        this.store = store;
        this.mounts = mounts;
    }

    /** Opens a name of a directory without a wait for what is mounted there. */
    interface Opening {
        int open() throws StoreException;
    }

    /**
     * Opens what is mounted at a name of a directory.
     *
     * @param name may be {@code ..}
     * @return a descriptor, or a negative error number
     * @throws Crossing if the call may hang there, and is not made at the place of the mount
     */
    int open(Call call, LinuxNode directory, FileName name, Opening opening) throws StoreException {
        var place = place(directory, name);
        boolean mayHang = !local.contains(place);
        if (mayHang && !call.isAt(place)) {
            throw new Crossing(place);
        }
        int descriptor = opening.open();
        if (descriptor < 0 || call.isAt(place)) {
            return descriptor;
        }
        // Something else may be mounted over it by now.
        int result = Kernel.knownStatx(call.scratch, descriptor);
        if (result < 0 || !mounts.isLocal(Statx.mount(call.scratch))) {
            Kernel.close(call.scratch, descriptor);
            local.remove(place);
            throw new Crossing(place);
        }
        return descriptor;
    }

    /** Records where the way through a name has led. */
    void learn(LinuxNode directory, FileName name, LinuxNode found) {
        if (found.mounted != directory.mounted && found.mounted.local()) {
            if (local.size() >= LOCAL_MAX) {
                local.clear();
            }
            local.add(place(directory, name));
        }
    }

    /**
     * Runs an operation at a mount. An operation that is a part of another one may hang no longer
     * than a moment, because the other one has a place of its own.
     *
     * @param from stays open until the operation has ended
     * @throws StoreException of the operation; AGAIN if others hang there
     */
    <R> R run(Crossing to, LinuxNode from, FileThreads.Operation<R> operation)
            throws StoreException {
        return store.threads().isInOperation()
                ? briefly(to.place(), from, operation)
                : store.threads().runWaiting(to.place(), operation);
    }

    private <R> R briefly(FileId place, LinuxNode from, FileThreads.Operation<R> operation)
            throws StoreException {
        var use =
                store.uses()
                        .begin(
                                () -> {
                                    from.acquire();
                                    return new Reference(store, from, Mounts.STAY, Origin.SERVER);
                                });
        return store.threads().runBriefly(place, use::close, operation);
    }

    /**
     * Returns the file system with that key, also if no client crossed into it since this server
     * started.
     *
     * @return null if the export does not contain it
     * @throws StoreException AGAIN if it may be one that hangs
     */
    MountedFileSystem find(LinuxNode root, long key) throws StoreException {
        StoreException unknown = null;
        for (var point : mounts.unknownBelow(root.descriptor)) {
            try {
                briefly(
                        place(
                                "mount",
                                ByteBuffer.allocate(Long.BYTES).putLong(point.mount()).array()),
                        root,
                        call -> {
                            learn(call.scratch, root, point);
                            return null;
                        });
            } catch (StoreException hangs) {
                unknown = hangs;
            }
            var found = mounts.find(key);
            if (found != null) {
                return found;
            }
        }
        if (unknown != null) {
            throw unknown;
        }
        return null;
    }

    private void learn(Scratch scratch, LinuxNode root, MountPoints.Point point) {
        if (point.path().length >= Scratch.TEXT_MAX) {
            return;
        }
        int descriptor =
                store.opened(
                        () ->
                                Kernel.openat2(
                                        scratch,
                                        root.descriptor,
                                        scratch.text(Scratch.TEXT, point.path()),
                                        LinuxStore.OPEN_NAME,
                                        0,
                                        LinuxStore.BENEATH));
        if (descriptor < 0) {
            return;
        }
        try {
            mounts.add(scratch, descriptor);
        } catch (StoreException _) {
            // The server cannot serve this file system.
        } finally {
            Kernel.close(scratch, descriptor);
        }
    }

    private static FileId place(LinuxNode directory, FileName name) {
        return place("name", directory.id.bytes(), new byte[] {'/'}, name.bytes());
    }

    private static FileId place(String kind, byte[]... of) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(kind.getBytes());
            for (byte[] each : of) {
                digest.update(each);
            }
            return new FileId(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }
}
