package io.github.rpcrdma4j.nfs.state.event;

/** What the driver needs to tell a host that a lock is granted: an immutable value of its own. */
public interface GrantNote {
    /** Returns the host that waits. */
    HostName host();
}
