/**
 * Arithmetic over chunks (RFC 8166, Section 3.4): which segments form a Read chunk, where the data
 * of a reduced item lies, how a result is laid into the segments offered for it. Pure.
 */
package io.github.rpcrdma4j.rpcrdma.chunk;
