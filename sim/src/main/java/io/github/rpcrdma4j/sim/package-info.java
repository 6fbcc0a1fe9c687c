/**
 * A provider in memory for tests: one thread, virtual time, delays and faults drawn from a seed. A
 * seed always gives the same run.
 *
 * <p>It keeps the order that RDMAP guarantees (RFC 5040, Section 5) and no more. Writes are placed
 * in any order before the next Send of their connection. Reads may be answered after later Sends. A
 * Send without a posted receive ends the connection.
 */
package io.github.rpcrdma4j.sim;
