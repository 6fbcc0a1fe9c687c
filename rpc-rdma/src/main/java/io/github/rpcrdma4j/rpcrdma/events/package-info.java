/**
 * JFR events for connections, calls and chunks, with their durations. A disabled event costs next
 * to nothing. {@code docs/events.md} lists the names and fields.
 */
package io.github.rpcrdma4j.rpcrdma.events;
