/** The figures of a server as Prometheus reads them, and the status page. */
package io.github.rpcrdma4j.cli.metrics;
