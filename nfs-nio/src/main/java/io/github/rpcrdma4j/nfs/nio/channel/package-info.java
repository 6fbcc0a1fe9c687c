/** Channels to files of a server, and the locks of their ranges. */
package io.github.rpcrdma4j.nfs.nio.channel;
