/**
 * DDP: the headers that say where the payload of a segment goes (RFC 5041), with the RDMAP control
 * field that shares their first word (RFC 5040, Section 4.1), and for the driver the receives that
 * stand posted and the place of the newest segment.
 */
package io.github.rpcrdma4j.iwarp.ddp;
