/**
 * A whole NFS server in one object: the programs of {@link
 * io.github.rpcrdma4j.nfs.server.NfsServer} at addresses of RDMA, TCP and UDP, known to rpcbind.
 */
package io.github.rpcrdma4j.nfs.server.host;
