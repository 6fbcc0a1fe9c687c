package io.github.rpcrdma4j.nfs.nio.channel;

import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The locks that the channels of a file system hold or wait for. No two of a file overlap, so that
 * a lock belongs to the whole program. Thread-safe.
 */
public final class LockTable {
    /** Guarded by this object. */
    private final Map<FileIdentity, List<RangeLock>> locks = new HashMap<>();

    /**
     * Adds a lock, before the server is asked for it.
     *
     * @throws OverlappingFileLockException if another one overlaps it
     */
    synchronized void add(FileIdentity file, RangeLock lock) {
        var ofFile = locks.computeIfAbsent(file, _ -> new ArrayList<>());
        for (var each : ofFile) {
            if (each.overlaps(lock.position(), lock.size())) {
                throw new OverlappingFileLockException();
            }
        }
        ofFile.add(lock);
    }

    /** Takes a lock out. */
    synchronized void remove(FileIdentity file, RangeLock lock) {
        var ofFile = locks.get(file);
        if (ofFile != null) {
            ofFile.remove(lock);
            if (ofFile.isEmpty()) {
                locks.remove(file);
            }
        }
    }
}
