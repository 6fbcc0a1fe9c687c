/** Which types a call passes through at both ends, found by tracing a real one. */
package io.github.rpcrdma4j.bench.types;
