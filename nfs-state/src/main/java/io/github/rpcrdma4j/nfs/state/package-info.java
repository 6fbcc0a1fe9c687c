/**
 * The state of a server of NFS version 4, minor versions 0 to 2, and of the hosts that lock files
 * by NLM: clients, sessions, slots, owners, opens, byte-range locks, delegations, asynchronous
 * copies, leases, and the grace period after a restart (RFC 7530, RFC 7862, RFC 8881). It is a
 * machine without threads, clocks, sockets or random numbers. Its driver passes in times, random
 * values and events, and carries out the actions that it gets back.
 *
 * <p>{@link ServerState} is the whole machine. Each event is one of its methods, and returns an
 * {@link io.github.rpcrdma4j.nfs.state.event.Outcome}. Nothing here is thread-safe: the driver
 * holds one lock around each event.
 *
 * <p>The machines of this package know each other, as the state does: a client has sessions and
 * opens, an open has a file, and a file has locks of clients that wait. What goes in and out, the
 * ranges, and what knows no other machine have packages of their own.
 */
package io.github.rpcrdma4j.nfs.state;
