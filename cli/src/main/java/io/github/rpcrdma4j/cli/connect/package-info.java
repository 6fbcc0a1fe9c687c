/**
 * Connections of commands to servers: where they are, over which transport and provider, and as
 * whom the command calls.
 */
package io.github.rpcrdma4j.cli.connect;
