/**
 * An index of directories and names, which finds files by their identity on file systems that
 * cannot.
 */
package io.github.rpcrdma4j.nfs.directories.index;
