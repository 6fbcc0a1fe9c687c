package io.github.rpcrdma4j.nfs.client.v4;

import java.io.IOException;

/** The state that a client has at its server. The keeper of the session gets it back. */
interface HeldState extends BackChannel.Events {
    /**
     * Hears that the server has forgotten all of it.
     *
     * @param canClaim whether it may be claimed, because the server restarted
     */
    void forgotten(boolean canClaim);

    /** Claims what the server forgot when it restarted, while it takes claims. */
    void claim(SessionRecovery calls) throws IOException, InterruptedException;

    /** Closes and unlocks what nobody uses. Returns whether nothing is left. */
    boolean isTidy(SessionRecovery calls) throws IOException, InterruptedException;

    /** Finds out what the server has revoked, and lets it forget that. */
    void check(SessionRecovery calls) throws IOException, InterruptedException;
}
