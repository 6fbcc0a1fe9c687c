/** What endpoints count. */
package io.github.rpcrdma4j.rpcrdma.metrics;
