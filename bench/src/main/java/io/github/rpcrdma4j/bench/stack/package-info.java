/** The ways to move the same bytes, one class each, behind {@code Exchange}. */
package io.github.rpcrdma4j.bench.stack;
