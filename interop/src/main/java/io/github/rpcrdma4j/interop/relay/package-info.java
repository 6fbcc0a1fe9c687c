/** Relays between two ends of TCP, which lose, hold back or cut what passes. */
package io.github.rpcrdma4j.interop.relay;
