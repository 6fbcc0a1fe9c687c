/** Receives the messages of a version 2 connection, and keeps the characteristics of both sides. */
package io.github.rpcrdma4j.rpcrdma.v2.connection;
