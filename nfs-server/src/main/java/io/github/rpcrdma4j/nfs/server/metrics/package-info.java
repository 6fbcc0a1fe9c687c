/** Counters of a server. */
package io.github.rpcrdma4j.nfs.server.metrics;
