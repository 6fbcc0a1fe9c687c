/**
 * RDMAP: Read Requests, Terminate messages and the faults that they report (RFC 5040, Section 4).
 * For the driver it also holds the rules of both halves: where segments may be placed (RFC 5041,
 * Section 5; RFC 5040, Section 5), and how posted work becomes frames. It lacks Immediate Data and
 * atomic operations (RFC 7306).
 */
package io.github.rpcrdma4j.iwarp.rdmap;
