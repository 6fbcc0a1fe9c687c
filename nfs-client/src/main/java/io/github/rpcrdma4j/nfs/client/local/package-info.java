/**
 * The local files of copies. Names are bytes, and no operation leaves the directory at which a tree
 * was opened, even if other processes change it in the meantime.
 */
package io.github.rpcrdma4j.nfs.client.local;
