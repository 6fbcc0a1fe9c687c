/**
 * The clients and servers of RPC-over-RDMA version 1 (RFC 8166, RFC 8797).
 *
 * <p>A program connects a {@link io.github.rpcrdma4j.rpcrdma.RpcRdmaClient} or starts a {@link
 * io.github.rpcrdma4j.rpcrdma.RpcRdmaServer}. An {@link
 * io.github.rpcrdma4j.oncrpc.UpperLayerBinding} says which data items of a program may be placed
 * directly. Calls can go both ways on one connection (RFC 8167), but not with chunks in the reverse
 * direction.
 */
package io.github.rpcrdma4j.rpcrdma;
