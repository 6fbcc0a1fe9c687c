/**
 * Every chunk shape of RPC-over-RDMA version 1 (RFC 8166, Section 3.4) that a responder accepts, or
 * has to refuse, sent to a server of NFS version 3 and checked byte by byte. The requester of this
 * project is left out on purpose: it would not pick most of these shapes.
 */
package io.github.rpcrdma4j.interop;
