/** NFS version 3 as a program over file stores (RFC 1813). */
package io.github.rpcrdma4j.nfs.server.v3;
