/**
 * The front door of RPC-over-RDMA version 1 (RFC 8166, RFC 8797), with calls both ways on one
 * connection (RFC 8167; chunks in the reverse direction are left out): connect a {@link
 * io.github.rpcrdma4j.rpcrdma.RpcRdmaClient}, start a {@link
 * io.github.rpcrdma4j.rpcrdma.RpcRdmaServer}, and say with an {@link
 * io.github.rpcrdma4j.oncrpc.UpperLayerBinding} which data items of a program may be placed
 * directly.
 */
package io.github.rpcrdma4j.rpcrdma;
