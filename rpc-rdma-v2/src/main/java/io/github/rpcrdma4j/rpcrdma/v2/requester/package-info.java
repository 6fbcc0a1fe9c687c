/** Plans and sends calls of version 2, and processes their answers. */
package io.github.rpcrdma4j.rpcrdma.v2.requester;
