/**
 * Benchmarks that compare rpcrdma4j with the limit of plain TCP and with other RPC stacks. Each
 * side of a stack is a process. The stacks take turns in rounds, and the report has the medians of
 * the rounds. Compare only figures of one run, as ratios. This program is on the class path,
 * because some of the measured libraries have no module descriptors.
 */
package io.github.rpcrdma4j.bench;
