/** Pools that lease native memory, and the budgets that limit it. */
package io.github.rpcrdma4j.memory;
