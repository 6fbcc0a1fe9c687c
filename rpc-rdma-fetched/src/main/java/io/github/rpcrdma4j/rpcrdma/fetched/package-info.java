/**
 * Replies whose data the requester fetches by RDMA Read from memory that the responder opens: how
 * they are laid out, what stays open until it was fetched, and how it is fetched. What tells the
 * responder that it was is the matter of a profile.
 */
package io.github.rpcrdma4j.rpcrdma.fetched;
