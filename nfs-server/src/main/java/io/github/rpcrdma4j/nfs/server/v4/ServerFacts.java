package io.github.rpcrdma4j.nfs.server.v4;

/**
 * The attributes that all files of a server share.
 *
 * @param leaseSeconds the lease time
 * @param transferMax the most data of a READ or WRITE, in bytes
 */
record ServerFacts(int leaseSeconds, int transferMax) {}
