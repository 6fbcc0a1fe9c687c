package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;

/**
 * The arguments of OPEN that belong to the state (RFC 8881, Section 18.16).
 *
 * @param owner the open owner, of the client of the session
 * @param access READ 1, WRITE 2, BOTH 3; without the bits that ask for delegations
 * @param deny NONE 0, READ 1, WRITE 2, BOTH 3
 * @param isReclaim whether the claim is CLAIM_PREVIOUS
 */
public record OpenCall(FileKey file, OpaqueName owner, int access, int deny, boolean isReclaim) {}
