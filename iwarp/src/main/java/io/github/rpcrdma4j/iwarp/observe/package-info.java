/**
 * A third party's view of one direction of a connection: set-up frame, frames, segments and
 * untagged messages, with their errors (RFC 5040, 5041 and 5044). Pure. It knows no memory, so it
 * does not check handles and bounds.
 */
package io.github.rpcrdma4j.iwarp.observe;
