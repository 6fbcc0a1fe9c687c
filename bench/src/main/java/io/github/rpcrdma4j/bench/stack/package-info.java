/** The ways to move the same octets, one class each, behind {@code Exchange}. */
package io.github.rpcrdma4j.bench.stack;
