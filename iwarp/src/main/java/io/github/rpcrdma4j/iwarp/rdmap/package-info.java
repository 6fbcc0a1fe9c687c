/**
 * RDMAP: Read Requests, Terminate messages, and the faults that they report (RFC 5040, Section 4),
 * and for the driver the rules of both halves: which segments may be placed where (RFC 5041,
 * Section 5; RFC 5040, Section 5), and which frames posted work becomes. Left out: Immediate Data
 * and atomic operations (RFC 7306).
 */
package io.github.rpcrdma4j.iwarp.rdmap;
