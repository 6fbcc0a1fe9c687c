/**
 * Record marking on byte streams (RFC 5531, Section 11), without sockets, threads and clocks.
 *
 * <p>Left out: records of more than one fragment are read, but not written.
 */
package io.github.rpcrdma4j.oncrpc.record;
