/**
 * A process that serves until it is told to end: its log, its state on this machine, the socket by
 * which an administrator controls it, and what it reports at its end.
 */
package io.github.rpcrdma4j.cli.service;
