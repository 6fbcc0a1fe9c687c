/** The configuration of exports: directories, the hosts that may use them, and their rights. */
package io.github.rpcrdma4j.nfs.server.export;
