/** Rounds of runs: each stack in its turn, how long each runs, and what is told of it meanwhile. */
package io.github.rpcrdma4j.bench.round;
