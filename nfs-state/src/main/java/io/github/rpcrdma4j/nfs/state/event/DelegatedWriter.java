package io.github.rpcrdma4j.nfs.state.event;

import java.util.Optional;

/**
 * A client with a delegation for writing, which may have written to the file on its own.
 *
 * @param isLate whether the clients of its place have let others wait for too long: it is not
 *     asked, but has to give the delegation back
 * @param slots how many calls it takes at a time in its sessions
 * @param change the change attribute of the file when the client got the delegation
 * @param times likewise its times, if the client keeps them
 */
public record DelegatedWriter(
        long clientId, boolean isLate, int slots, long change, Optional<DelegatedTimes> times) {}
