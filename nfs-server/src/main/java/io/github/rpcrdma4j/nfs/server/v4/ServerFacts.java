package io.github.rpcrdma4j.nfs.server.v4;

/**
 * The attributes that all files of a server share.
 *
 * @param leaseSeconds the lease time
 * @param transferMax the most data of a READ or WRITE, in bytes
 * @param delegatedTimes whether clients may keep times with their delegations (RFC 9754)
 */
record ServerFacts(int leaseSeconds, int transferMax, boolean delegatedTimes) {}
