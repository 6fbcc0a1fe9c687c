/**
 * What RFC 8166 took out of RFC 5666: a profile for both ends of a connection.
 *
 * <p>A responder exposes results, and keeps them until RDMA_DONE comes, a timer ends, or the
 * connection does. The requester fetches them, and keeps credits for RDMA_DONE, which has no
 * answer.
 */
package io.github.rpcrdma4j.rpcrdma.rfc5666;
