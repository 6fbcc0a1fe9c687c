/**
 * What a third party sees of one direction of a connection: set-up frame, frames, segments and
 * untagged messages, with what is wrong about them (RFC 5040, 5041 and 5044). Pure. It knows no
 * memory, so the faults of handles and bounds are left out.
 */
package io.github.rpcrdma4j.iwarp.observe;
