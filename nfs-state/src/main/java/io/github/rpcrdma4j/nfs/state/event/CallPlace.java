package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.SessionId;

/**
 * Where a client has sent a COMPOUND: callbacks about it name it, so that the client takes them
 * after its reply (RFC 8881, Section 2.10.6.3).
 */
public record CallPlace(SessionId session, int slot, int sequence) {}
