/** Paths as bytes, their URIs and their patterns. Pure. */
package io.github.rpcrdma4j.nfs.nio.path;
