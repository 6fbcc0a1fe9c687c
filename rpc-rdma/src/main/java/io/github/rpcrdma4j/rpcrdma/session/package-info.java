/**
 * The threads around the engine: callers that wait and poll in turns, polling threads of a server,
 * and threads that run calls. It also has the quotas of a server's clients. No other package uses
 * threads or clocks.
 */
package io.github.rpcrdma4j.rpcrdma.session;
