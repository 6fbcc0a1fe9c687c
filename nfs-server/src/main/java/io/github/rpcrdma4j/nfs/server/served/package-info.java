/** The open exports of a server: from file handles to files, and from clients to callers. */
package io.github.rpcrdma4j.nfs.server.served;
