/** How calls of version 2 arrive, and are answered. */
package io.github.rpcrdma4j.rpcrdma.v2.responder;
