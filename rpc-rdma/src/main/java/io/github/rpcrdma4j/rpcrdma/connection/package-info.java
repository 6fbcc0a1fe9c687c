/**
 * One end of an RPC-over-RDMA connection: its parameters (RFC 8797), its posted receives (RFC 8166,
 * Section 3.3), and its send queue.
 */
package io.github.rpcrdma4j.rpcrdma.connection;
