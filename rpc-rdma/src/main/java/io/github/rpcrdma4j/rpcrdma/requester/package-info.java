/**
 * The requester's half of RPC-over-RDMA (RFC 8166): how a call is laid out, what becomes of it, and
 * the memory that it exposes meanwhile.
 */
package io.github.rpcrdma4j.rpcrdma.requester;
