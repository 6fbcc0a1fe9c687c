/**
 * The responder of RPC-over-RDMA (RFC 8166). It fetches the Read chunks of a call, offers the call
 * to its program, and places the bulk results of the reply.
 */
package io.github.rpcrdma4j.rpcrdma.responder;
