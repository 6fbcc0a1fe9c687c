/** The stacks that move the same bytes, one class each, behind {@code Exchange}. */
package io.github.rpcrdma4j.bench.stack;
