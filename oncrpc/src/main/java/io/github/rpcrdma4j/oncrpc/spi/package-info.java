/**
 * What transports and security flavors need, and callers and programs do not: message headers, the
 * dispatcher of calls, the threads they run on, and how a flavor protects a call.
 */
package io.github.rpcrdma4j.oncrpc.spi;
