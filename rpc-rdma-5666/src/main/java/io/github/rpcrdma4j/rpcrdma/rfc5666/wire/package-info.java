/** The headers that RFC 8166 took out of RFC 5666, and what a received one is owed; pure. */
package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;
