/**
 * The responder's half of RPC-over-RDMA (RFC 8166): fetches what a call moved apart, has it carried
 * out, and places what its reply may place.
 */
package io.github.rpcrdma4j.rpcrdma.responder;
