/**
 * RDMAP: Read Requests, Terminate messages, and the faults that they report (RFC 5040, Section 4).
 * Pure. Left out: Immediate Data and atomic operations (RFC 7306).
 */
package io.github.rpcrdma4j.iwarp.rdmap;
