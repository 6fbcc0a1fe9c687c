package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;

/** An open file of version 4: calls use it by a stateid. Thread-safe. */
interface UsedFile extends OpenFile {
    /**
     * Returns the planning of a call that reads or writes.
     *
     * @param what for the message of a failure
     * @param plan of the stateid to use
     */
    Planning use(String what, Function<StateId, Plan> plan);

    /**
     * Locks bytes for this open.
     *
     * @param wait how long to wait while another owner has a lock there
     * @return false if another owner still has one
     */
    boolean lock(LockRange range, boolean isExclusive, Duration wait, String what)
            throws IOException, InterruptedException;

    /** Unlocks bytes. What is lost is only forgotten here. */
    void unlock(LockRange range, String what) throws IOException, InterruptedException;
}
