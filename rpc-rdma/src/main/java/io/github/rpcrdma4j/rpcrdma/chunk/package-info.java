/**
 * The arithmetic of chunks (RFC 8166, Section 3.4). It finds the segments of a Read chunk and the
 * data of a reduced item, and checks returned Write chunks against the offered ones. It does no
 * I/O.
 */
package io.github.rpcrdma4j.rpcrdma.chunk;
