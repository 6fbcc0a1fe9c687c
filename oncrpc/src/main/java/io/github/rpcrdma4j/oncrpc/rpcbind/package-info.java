/**
 * The client's side of rpcbind (RFC 1833), versions 2 to 4, and universal addresses (RFC 5665): how
 * a server makes known where its programs listen, and how a client finds out.
 *
 * <p>Left out: everything but SET, UNSET, GETPORT, GETADDR and DUMP.
 */
package io.github.rpcrdma4j.oncrpc.rpcbind;
