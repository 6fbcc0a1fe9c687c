/**
 * The transport header of RPC-over-RDMA version 1 (RFC 8166, Section 4) and the private data of its
 * connections (RFC 8797), as records and codecs that accept any bytes. It uses no sockets, threads
 * or clocks.
 */
package io.github.rpcrdma4j.rpcrdma.wire;
