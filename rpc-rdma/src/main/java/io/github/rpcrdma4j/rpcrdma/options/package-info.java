/** What clients and servers may be told about how to behave. Records; pure. */
package io.github.rpcrdma4j.rpcrdma.options;
