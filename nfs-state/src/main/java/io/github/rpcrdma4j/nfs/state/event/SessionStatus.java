package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.SessionId;

/**
 * A session, for administrators.
 *
 * @param running COMPOUNDs in progress
 * @param callsBack whether the server can call the client over it
 */
public record SessionStatus(
        SessionId id,
        long clientId,
        int slots,
        int running,
        int connections,
        int backConnections,
        boolean callsBack) {}
