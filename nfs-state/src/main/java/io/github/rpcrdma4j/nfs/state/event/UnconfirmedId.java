package io.github.rpcrdma4j.nfs.state.event;

/**
 * The results of SETCLIENTID (RFC 7530, Section 16.33).
 *
 * @param verifier what SETCLIENTID_CONFIRM has to send
 */
public record UnconfirmedId(long clientId, long verifier) {}
