/**
 * The field's objects: provider, listener, queue pair, completion queue, protection domain, memory
 * region, memory window, scatter/gather element, work request and completion.
 *
 * <p>The semantics are those of RFC 5040 (RDMAP), which InfiniBand and RoCE keep as well: Sends
 * complete at the receiver in issue order, what an RDMA Write placed is visible before a later Send
 * of the same queue pair completes, and any violation of access, bounds or domain ends the
 * connection. Addresses and lengths are unsigned; lengths of work requests are 32 bits, addresses
 * 64. The rules that every provider keeps are one test class, {@code ProviderContract} of the
 * module {@code sim}.
 *
 * <p><b>Progress.</b> A provider may make progress only while a thread is inside {@link
 * io.github.rpcrdma4j.verbs.CompletionQueue#poll}: incoming bytes are read and placed, the peer's
 * RDMA Reads are answered and pending output is flushed by the thread that polls. So a caller which
 * waits for its own reply does the work itself, with no hand-off to another thread.
 *
 * <p><b>Memory.</b> Work requests name registered memory by scatter/gather elements. What can be
 * registered is native memory that any thread may touch (a shared, automatic or global arena, or a
 * mapped file). The memory of a posted work request belongs to the provider until it is done or its
 * queue pair is closed. A peer reaches none of it: it reaches what a memory window of the queue
 * pair opens to it, until that is invalidated.
 */
package io.github.rpcrdma4j.verbs;
