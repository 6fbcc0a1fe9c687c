/**
 * Record marking on byte streams (RFC 5531, Section 11), without sockets, threads or clocks.
 *
 * <p>Left out: the encoder does not write records of more than one fragment. The decoder reads
 * them.
 */
package io.github.rpcrdma4j.oncrpc.record;
