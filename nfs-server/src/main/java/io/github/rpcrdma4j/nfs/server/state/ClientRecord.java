package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;

/**
 * What stable storage keeps of a client: it may reclaim its state after a restart of the server
 * (RFC 8881, Section 8.4.2.1). There is at most one record for each name.
 *
 * @param owner the name that the client gave itself
 * @param principal who made the client; another one cannot reclaim
 */
public record ClientRecord(OpaqueName owner, Principal principal) {}
