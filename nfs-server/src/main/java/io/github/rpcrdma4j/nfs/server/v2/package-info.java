/** NFS version 2 as a program over file stores (RFC 1094). */
package io.github.rpcrdma4j.nfs.server.v2;
