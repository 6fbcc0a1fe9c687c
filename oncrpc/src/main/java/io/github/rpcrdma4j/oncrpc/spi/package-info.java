/**
 * The types for transports and security flavors: message headers, the dispatcher of calls, the
 * threads of calls, and the protection of calls. Callers and programs do not need them.
 */
package io.github.rpcrdma4j.oncrpc.spi;
