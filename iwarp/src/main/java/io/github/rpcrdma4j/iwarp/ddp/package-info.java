/**
 * DDP: the headers that say where the octets of a segment go (RFC 5041), with the RDMAP control
 * field that shares their first word (RFC 5040, Section 4.1). Pure.
 */
package io.github.rpcrdma4j.iwarp.ddp;
