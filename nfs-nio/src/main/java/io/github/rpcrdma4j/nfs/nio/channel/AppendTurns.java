package io.github.rpcrdma4j.nfs.nio.channel;

import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Lets the channels of a file system that append to one file do so in turn. Thread-safe. */
public final class AppendTurns {
    /** The turn to append to a file, and the size that it had at the end of the last one. */
    static final class Turn {
        final ReentrantLock lock = new ReentrantLock();

        /** Guarded by the lock; -1 if it is not known. */
        long size = -1;

        /** Guarded by the turns. */
        private int users;
    }

    /** Guarded by this object. */
    private final Map<FileIdentity, Turn> turns = new HashMap<>();

    /** Returns the turn of a file, to be left. */
    synchronized Turn join(FileIdentity file) {
        var turn = turns.computeIfAbsent(file, _ -> new Turn());
        turn.users++;
        return turn;
    }

    /** Leaves a turn for good. */
    synchronized void leave(FileIdentity file) {
        var turn = turns.get(file);
        if (--turn.users == 0) {
            turns.remove(file);
        }
    }
}
