/**
 * The RDMA verbs: provider, listener, queue pair, completion queue, protection domain, memory
 * region, memory window, scatter/gather element, work request and completion.
 *
 * <p>The semantics are those of RFC 5040 (RDMAP), which also hold for InfiniBand and RoCE. Sends
 * complete at the receiver in issue order. The bytes of an RDMA Write are visible before a later
 * Send of the same queue pair completes. Any violation of access, bounds or domain ends the
 * connection. Addresses and lengths are unsigned; lengths of work requests have 32 bits, addresses
 * 64. The test class {@code ProviderContract} of the module {@code verbs-contract} contains the
 * rules for every provider.
 *
 * <p><b>Progress.</b> A provider may make progress only while a thread is in {@link
 * io.github.rpcrdma4j.verbs.CompletionQueue#poll}. The polling thread reads and places incoming
 * bytes, answers the peer's RDMA Reads and sends pending output. So a caller that waits for its own
 * reply does this work itself, without a hand-over to another thread.
 *
 * <p><b>Memory.</b> Work requests refer to registered memory by scatter/gather elements. Only
 * native memory that any thread may access can be registered (a shared, automatic or global arena,
 * or a mapped file). The provider owns the memory of a posted work request until the request is
 * done or its queue pair is closed. A peer can reach only the memory that a memory window of the
 * queue pair opens to it, until the window is invalidated.
 */
package io.github.rpcrdma4j.verbs;
