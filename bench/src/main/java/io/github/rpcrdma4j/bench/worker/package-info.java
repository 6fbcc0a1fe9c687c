/** The processes of the sides of a stack, and the orders that they carry out. */
package io.github.rpcrdma4j.bench.worker;
