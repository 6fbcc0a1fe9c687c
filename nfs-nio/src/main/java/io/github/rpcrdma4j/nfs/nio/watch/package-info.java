/** Directories that are looked at now and then, to tell what has changed in them. */
package io.github.rpcrdma4j.nfs.nio.watch;
