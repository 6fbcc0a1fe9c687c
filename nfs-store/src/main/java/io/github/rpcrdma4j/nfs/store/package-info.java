/**
 * Files of an export in a form that suits every version of NFS: {@link
 * io.github.rpcrdma4j.nfs.store.FileStore} and {@link io.github.rpcrdma4j.nfs.store.Node}. A
 * program identifies files by the content of their handles and by names in directories, never by a
 * path.
 */
package io.github.rpcrdma4j.nfs.store;
