/**
 * Copies of files and trees from a server, to it and on it. {@link
 * io.github.rpcrdma4j.nfs.client.copy.Copier} copies a file, {@link
 * io.github.rpcrdma4j.nfs.client.copy.TreeCopier} a tree.
 */
package io.github.rpcrdma4j.nfs.client.copy;
