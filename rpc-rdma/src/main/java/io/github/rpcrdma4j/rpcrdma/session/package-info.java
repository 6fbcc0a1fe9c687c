/**
 * The threads around the engine: callers that wait and poll by turns, pollers of a server, the
 * threads that carry calls out, and what a server bears from its clients. Only this package knows
 * threads and clocks.
 */
package io.github.rpcrdma4j.rpcrdma.session;
