/** What arrives on a connection of version 2, and what the two sides have told each other. */
package io.github.rpcrdma4j.rpcrdma.v2.connection;
