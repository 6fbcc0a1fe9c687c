/** What clients and servers have counted. Immutable. */
package io.github.rpcrdma4j.rpcrdma.metrics;
