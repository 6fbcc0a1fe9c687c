/**
 * A server of ONC RPC over UDP, for programs whose calls are short and rare, such as notices of
 * restarts that peers send over UDP only.
 *
 * <p>Left out: clients, calls that wait, and replies that are longer than a datagram.
 */
package io.github.rpcrdma4j.oncrpc.udp;
