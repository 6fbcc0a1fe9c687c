package io.github.rpcrdma4j.nfs.state.event;

/**
 * What a host says with LOCK.
 *
 * @param state the number of the start of the host; 0 if it does not tell
 * @param isReclaim whether it had this before the server restarted
 * @param note for the driver, if the host waits; null if it does not
 */
public record HostClaim(int state, boolean isReclaim, GrantNote note) {
    public boolean isWaiting() {
        return note != null;
    }
}
