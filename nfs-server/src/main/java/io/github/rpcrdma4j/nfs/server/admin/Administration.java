package io.github.rpcrdma4j.nfs.server.admin;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The clients of NFS version 4 for administrators. The lists are copies; clients wait while one is
 * made. Thread-safe.
 */
public interface Administration {
    /** Returns how much all clients hold. It takes as long as the number of clients. */
    StateCounts counts();

    /** Returns some clients, at most so many. */
    List<ServedClient> clients(int max);

    /**
     * Returns some clients that are not there yet after a restart and may still reclaim, at most so
     * many. There are none after the grace period.
     */
    List<AwaitedClient> awaited(int max);

    /** Returns some sessions, at most so many. */
    List<ServedSession> sessions(int max);

    /** Returns some opens, at most so many. Finding their files may wait for storage. */
    List<ServedOpen> opens(int max);

    /** Returns some delegations, at most so many. Finding their files may wait for storage. */
    List<ServedDelegation> delegations(int max);

    /** Returns some locked ranges, at most so many. Finding their files may wait for storage. */
    List<ServedLock> locks(int max);

    /**
     * Returns some asynchronous copies, at most so many. Finding their files may wait for storage.
     */
    List<ServedCopy> copies(int max);

    /**
     * Takes all opens and locks of a client. It may not reclaim them after a restart either. The
     * client learns of it by its next call, and may open and lock anew (RFC 8881, Section 8.4.1).
     *
     * @return the client as it was before; nothing if there is no such client
     * @throws IOException if storage failed: the client has lost its opens and locks, but could
     *     reclaim them after a restart. The server tries again. The message is one line.
     */
    Optional<ServedClient> end(long clientId) throws IOException;
}
