/**
 * ONC RPC over TCP with record marking (RFC 5531, Section 11). Programs use it where there is no
 * RDMA, and beside RDMA as RFC 8267, Section 5.1, requires.
 *
 * <p>Left out: UDP and TLS (RFC 9289).
 */
package io.github.rpcrdma4j.oncrpc.tcp;
