package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.lock.NlmLock;
import io.github.rpcrdma4j.nfs.state.event.GrantNote;
import io.github.rpcrdma4j.nfs.state.event.HostName;

/**
 * A LOCK that waits, as its host has sent it.
 *
 * @param target where the host is called
 * @param version that of NLM
 */
record WaitingCall(
        HostName host, HostCalls.Target target, int version, boolean isExclusive, NlmLock lock)
        implements GrantNote {}
