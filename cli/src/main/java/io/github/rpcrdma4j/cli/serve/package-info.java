/**
 * The command {@code serve}: what is exported to whom, by options or by a file, and the servers of
 * all transports as one.
 */
package io.github.rpcrdma4j.cli.serve;
