/** The processes in which the sides of a stack run, and the orders that they take. */
package io.github.rpcrdma4j.bench.worker;
