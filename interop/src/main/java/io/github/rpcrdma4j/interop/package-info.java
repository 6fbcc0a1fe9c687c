/**
 * The chunk shapes of RPC-over-RDMA version 1 (RFC 8166, Section 3.4) that a responder has to
 * accept or to refuse. This package sends each one to a server of NFS version 3 and checks the
 * answer byte by byte. It does not use the requester of this project, because that would not choose
 * most of these shapes.
 */
package io.github.rpcrdma4j.interop;
