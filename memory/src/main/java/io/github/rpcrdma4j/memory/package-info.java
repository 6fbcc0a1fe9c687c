/** Pools of native memory that is leased, used again, and part of one budget. */
package io.github.rpcrdma4j.memory;
