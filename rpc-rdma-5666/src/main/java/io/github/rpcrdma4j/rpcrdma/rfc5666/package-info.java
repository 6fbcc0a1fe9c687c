/**
 * RPC-over-RDMA version 1 as RFC 5666 had it, where RFC 8166 took something out: RDMA_MSGP, results
 * that the client fetches and RDMA_DONE, the configuration protocol, rounded lengths of Write
 * chunks, errors of any code. {@link io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666} is the profile.
 */
package io.github.rpcrdma4j.rpcrdma.rfc5666;
