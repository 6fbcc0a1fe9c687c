/**
 * Where the files of a store are, for file systems that do not find a file by its number: an index
 * of directories and names.
 */
package io.github.rpcrdma4j.nfs.server.store.index;
