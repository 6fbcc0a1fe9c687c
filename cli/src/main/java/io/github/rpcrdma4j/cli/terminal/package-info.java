/**
 * What people read and type: lines, names, numbers, progress and messages of failures, and the
 * arguments as the user gave them. Nothing here knows a server.
 */
package io.github.rpcrdma4j.cli.terminal;
