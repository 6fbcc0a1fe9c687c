/**
 * Commands that ask a running server of this machine for its clients and their state, or change it.
 */
package io.github.rpcrdma4j.cli.admin;
