/**
 * Version 2 of RPC-over-RDMA: a profile for clients and servers (ADR 15). {@link
 * io.github.rpcrdma4j.rpcrdma.profile.WireProfile#find} knows it as {@code "version 2"}.
 *
 * <p>A server's gate examines the first message of a connection; a client's probe ends before its
 * first call. Then one receiver gets all messages ({@link
 * io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver}). It passes characteristics to their
 * exchange, assembles groups of Sends, and passes the other messages on by direction. A call's plan
 * is made when the call is sent. ADR 19 describes fetched replies.
 */
package io.github.rpcrdma4j.rpcrdma.v2;
