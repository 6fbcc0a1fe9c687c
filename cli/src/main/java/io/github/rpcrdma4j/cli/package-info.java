/**
 * The command {@code rpcrdma}. Only this module chooses an RDMA provider. Exit codes: 0 for
 * success, 1 with a one-line message for a failure, 2 for wrong usage.
 */
package io.github.rpcrdma4j.cli;
