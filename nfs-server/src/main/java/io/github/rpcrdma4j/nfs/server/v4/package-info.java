/**
 * NFS version 4, minor versions 1 and 2, as a program over file stores and the state of clients
 * (RFC 8881, RFC 7862).
 */
package io.github.rpcrdma4j.nfs.server.v4;
