/**
 * The requester of RPC-over-RDMA (RFC 8166): the plan of a call, its states, and the memory that it
 * exposes.
 */
package io.github.rpcrdma4j.rpcrdma.requester;
