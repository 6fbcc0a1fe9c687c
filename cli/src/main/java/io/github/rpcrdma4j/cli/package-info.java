/**
 * The command {@code rpcrdma}. Only this module chooses an RDMA provider. Exit codes: 0 for
 * success, 1 for a failure, 2 for wrong usage, 141 if the reader of standard output is gone. A
 * failure has a one-line message, and so does each file that a command on several files left out.
 * With 141 there is none.
 */
package io.github.rpcrdma4j.cli;
