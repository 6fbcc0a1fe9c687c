/**
 * The client side of rpcbind (RFC 1833), versions 2 to 4, and universal addresses (RFC 5665). A
 * server registers the addresses of its programs, and a client looks them up.
 *
 * <p>Left out: all procedures but SET, UNSET, GETPORT, GETADDR and DUMP.
 */
package io.github.rpcrdma4j.oncrpc.rpcbind;
