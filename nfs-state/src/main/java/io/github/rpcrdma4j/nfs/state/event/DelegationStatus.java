package io.github.rpcrdma4j.nfs.state.event;

/**
 * A delegation, for administrators.
 *
 * @param isRecalled whether the client has to give it back
 */
public record DelegationStatus(
        FileKey file, long clientId, DelegationKind kind, boolean isRecalled) {}
