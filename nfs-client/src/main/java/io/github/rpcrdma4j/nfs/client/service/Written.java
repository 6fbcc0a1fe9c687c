package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.Stability;

/**
 * What a server says of the bytes of a WRITE.
 *
 * @param count how many of them it has written, from the first on; as the server says, so it may be
 *     any number
 * @param stability where they are now
 * @param verifier changes when the server loses what is not on stable storage (RFC 1813, Section
 *     3.3.7)
 */
public record Written(long count, Stability stability, long verifier) {}
