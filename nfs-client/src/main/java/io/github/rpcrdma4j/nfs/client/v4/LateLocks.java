package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.state.HeldLocks;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;

/**
 * Unlocks what the server may have locked although nobody holds it here: nobody knows what became
 * of its LOCK, or of its LOCKU. The keeper of the session does so when the server has ended all
 * calls that were in doubt.
 *
 * <p>Tests: {@code SimulatedFaultsTest}, {@code SimulatedServersTest}.
 *
 * @param at the locked file
 */
record LateLocks(FileHandle at, LocksOfOpen locks) {
    private static final String WHAT = "cannot unlock a file";

    /**
     * Unlocks it.
     *
     * @param open the stateid of the open file
     * @return whether nothing is left
     */
    boolean areUnlocked(StateId open, RecoveryCalls calls)
            throws IOException, InterruptedException {
        for (var range : locks.late()) {
            try {
                unlock(range, open, calls);
            } catch (NfsException refused) {
                switch (refused.status()) {
                    case JUKEBOX, GRACE -> {
                        return false;
                    }
                    // The server has no lock of the file, or no file.
                    default -> {}
                }
            }
            locks.settled(range);
        }
        return true;
    }

    private void unlock(HeldLocks.Range range, StateId open, RecoveryCalls calls)
            throws IOException, InterruptedException {
        if (!locks.isUsed()) {
            // Only LOCK tells the stateid. It fails if the one before was not carried out, and
            // another owner has a lock there.
            var locked = calls.run(locking(range, open), WHAT, Results::lock);
            if (locked.isEmpty()) {
                return;
            }
            locks.learn(locked.get());
        }
        for (var each : locks.notHeld(range)) {
            calls.run(unlocking(each), WHAT, results -> results.done(2));
        }
        // A late LOCK may have changed the kind of what is held.
        for (var each : locks.held(range)) {
            calls.run(locking(each, open), WHAT, Results::lock);
        }
    }

    private Plan locking(HeldLocks.Range range, StateId open) {
        return Plan.at(at).lock(locks.locking(range, open));
    }

    private Plan unlocking(HeldLocks.Range range) {
        return Plan.at(at).unlock(locks.unlocking(range));
    }
}
