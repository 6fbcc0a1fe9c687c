/**
 * Measures the cost of distance between two ends. In a simulated world it counts the round trips,
 * messages and registrations of a call for each transfer model. It also measures the call's time
 * over a relay that delays.
 */
package io.github.rpcrdma4j.bench.latency;
