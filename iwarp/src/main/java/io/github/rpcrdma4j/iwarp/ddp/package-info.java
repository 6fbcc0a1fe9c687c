/**
 * DDP: the segment headers that direct payload to memory (RFC 5041), including the RDMAP control
 * field in their first word (RFC 5040, Section 4.1). For the driver it also holds the posted
 * receives and the placement target of the newest segment.
 */
package io.github.rpcrdma4j.iwarp.ddp;
