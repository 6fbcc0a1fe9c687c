/** Stores of directories, of the kind that does the most on this machine. */
package io.github.rpcrdma4j.nfs.directories;
