/** How calls of version 2 are laid out, sent, and answered. */
package io.github.rpcrdma4j.rpcrdma.v2.requester;
