/** The rounds of a run: the turns of the stacks, their length, and the report of progress. */
package io.github.rpcrdma4j.bench.round;
