/**
 * One end of an RPC-over-RDMA connection: what both sides agreed on when they connected (RFC 8797),
 * the receives that stand posted (RFC 8166, Section 3.3), and the send queue.
 */
package io.github.rpcrdma4j.rpcrdma.connection;
