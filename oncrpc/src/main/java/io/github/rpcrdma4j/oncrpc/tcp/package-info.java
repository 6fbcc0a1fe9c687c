/**
 * ONC RPC over TCP with record marking (RFC 5531, Section 11): what programs are served and called
 * over where there is no RDMA, and what RFC 8267, Section 5.1, asks for next to it.
 *
 * <p>Left out: UDP, TLS (RFC 9289) and RPCSEC_GSS.
 */
package io.github.rpcrdma4j.oncrpc.tcp;
