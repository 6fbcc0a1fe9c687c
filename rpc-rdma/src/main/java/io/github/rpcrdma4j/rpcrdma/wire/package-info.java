/**
 * The transport header of RPC-over-RDMA version 1 (RFC 8166, Section 4) and the private data of its
 * connections (RFC 8797), as records and total codecs. Pure: no sockets, threads, clocks.
 */
package io.github.rpcrdma4j.rpcrdma.wire;
