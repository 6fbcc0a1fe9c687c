/**
 * XDR (RFC 4506) over {@link java.lang.foreign.MemorySegment}, chunk-aware. A variable-length
 * opaque that is written or read as a <em>bulk item</em> may lie apart from the stream. The
 * transport decides whether the item moves in the stream or by direct data placement (RFC 8166,
 * Section 3.4). The code that encodes and decodes a procedure does not depend on that decision.
 *
 * <p>Left out: floating point and quadruple precision, which no program here uses.
 */
package io.github.rpcrdma4j.xdr;
