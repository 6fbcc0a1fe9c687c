/**
 * NFS servers as file systems of {@link java.nio.file}: {@link
 * io.github.rpcrdma4j.nfs.nio.NfsProvider} over TCP, {@link
 * io.github.rpcrdma4j.nfs.nio.NfsRdmaProvider} over RDMA.
 */
package io.github.rpcrdma4j.nfs.nio;
