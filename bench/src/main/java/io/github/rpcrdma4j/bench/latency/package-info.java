/**
 * What the distance between two ends costs: round trips, messages and registrations of a call for
 * each way to move its data, in a simulated world, and its time over a relay that delays.
 */
package io.github.rpcrdma4j.bench.latency;
