/** The counters of clients and servers, and snapshots of them. */
package io.github.rpcrdma4j.rpcrdma.metrics;
