package io.github.rpcrdma4j.nfs.client.v4;

import java.io.IOException;

/** The state that a client of version 4.0 has at its server. */
interface LeasedState {
    /**
     * Hears that the server has forgotten all of it.
     *
     * @param canClaim whether it may be claimed, because the server restarted
     */
    void forgotten(boolean canClaim);

    /** Claims what the server forgot when it restarted, while it takes claims. */
    void claim() throws IOException, InterruptedException;

    /** Closes what nobody uses. Returns whether nothing is left. */
    boolean isTidy() throws IOException, InterruptedException;
}
