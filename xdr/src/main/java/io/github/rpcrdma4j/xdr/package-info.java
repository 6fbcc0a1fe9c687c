/**
 * XDR (RFC 4506) over {@link java.lang.foreign.MemorySegment}, chunk-aware: a variable-length
 * opaque written or read as a <em>bulk item</em> may lie apart from the stream. A transport decides
 * whether it moves in the stream or by direct data placement (RFC 8166, Section 3.4); the code that
 * encodes and decodes a procedure is the same either way.
 *
 * <p>Left out: floating point and quadruple precision, which no program here uses.
 */
package io.github.rpcrdma4j.xdr;
