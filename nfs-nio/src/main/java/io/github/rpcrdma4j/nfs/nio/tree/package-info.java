/** Operations on the files of a server by their paths. */
package io.github.rpcrdma4j.nfs.nio.tree;
