/**
 * A profile for both ends of a connection, with what RFC 8166 removed from RFC 5666. {@link
 * io.github.rpcrdma4j.rpcrdma.profile.WireProfile#find} knows it as {@code "RFC 5666"}.
 *
 * <p>A responder exposes results and keeps them until RDMA_DONE arrives, a timer ends, or the
 * connection ends. The requester fetches them, and sets credits aside for RDMA_DONE, which has no
 * answer.
 */
package io.github.rpcrdma4j.rpcrdma.rfc5666;
