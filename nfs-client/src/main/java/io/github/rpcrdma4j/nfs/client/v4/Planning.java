package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import java.io.IOException;

/** Makes the plan of each attempt of a call: another one if the state that it uses was lost. */
interface Planning {
    /** Returns the plan of the next attempt. */
    Plan plan() throws IOException, InterruptedException;

    /**
     * Hears that the server does not know the stateid of the plan.
     *
     * @return whether another attempt may have another one
     */
    default boolean hearsOfLoss() {
        return false;
    }
}
