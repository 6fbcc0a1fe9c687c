/**
 * The files of an export, as every version of NFS sees them: {@link
 * io.github.rpcrdma4j.nfs.server.store.FileStore} and {@link
 * io.github.rpcrdma4j.nfs.server.store.Node}. A program names files by what their handles hold and
 * by names in directories, never by a path.
 */
package io.github.rpcrdma4j.nfs.server.store;
