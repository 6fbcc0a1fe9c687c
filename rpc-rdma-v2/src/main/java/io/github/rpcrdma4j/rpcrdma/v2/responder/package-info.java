/** Receives calls of version 2, and answers them. */
package io.github.rpcrdma4j.rpcrdma.v2.responder;
