/** Small files that survive a crash of the process or of the machine. */
package io.github.rpcrdma4j.nfs.server.stable;
