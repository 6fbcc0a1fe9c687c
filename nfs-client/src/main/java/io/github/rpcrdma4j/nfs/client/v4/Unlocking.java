package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.type.StateId;

/** Unlocks a range with the stateid that the locks of an open file have then. Used by one call. */
final class Unlocking implements Planning {
    private final OpenAtServer file;
    private final LocksOfOpen locks;
    private final LockRange range;
    private final String what;
    private StateId used;

    /**
     * @param locks of the file
     * @param what for the message of a failure
     */
    Unlocking(OpenAtServer file, LocksOfOpen locks, LockRange range, String what) {
        this.file = file;
        this.locks = locks;
        this.range = range;
        this.what = what;
    }

    @Override
    public Plan plan() throws NfsException {
        used = null;
        var arguments =
                locks.unlocking(range)
                        .orElseThrow(
                                () -> NfsException.found(what, "no lock is held", Status.NOT_OPEN));
        used = arguments.lock();
        return Plan.at(Nfs4Values.handle(file.handle())).unlock(arguments);
    }

    @Override
    public boolean hearsOfLoss() {
        if (used == null) {
            return false;
        }
        file.revoked(used);
        return true;
    }
}
