/** Finds the types that a call passes through at both ends, by tracing a real call. */
package io.github.rpcrdma4j.bench.types;
