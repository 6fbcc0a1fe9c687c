/**
 * Version 2 of RPC-over-RDMA: a profile for clients and servers (ADR 15).
 *
 * <p>A server's gate looks at the first message of a connection; a client's probe ends before its
 * first call. Then all that arrives goes to one receiver ({@link
 * io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver}): it hands characteristics to their
 * exchange, puts groups of Sends together, and hands on the rest by its direction. How a call
 * travels is chosen when it is sent. Replies that requesters fetch are described in ADR 19.
 */
package io.github.rpcrdma4j.rpcrdma.v2;
