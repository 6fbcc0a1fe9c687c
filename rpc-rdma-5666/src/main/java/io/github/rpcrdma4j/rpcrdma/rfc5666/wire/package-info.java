/** The headers that RFC 8166 removed from RFC 5666, and how received ones are classified; pure. */
package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;
