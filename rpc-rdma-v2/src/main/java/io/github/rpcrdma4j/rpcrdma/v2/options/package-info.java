/** What an endpoint of version 2 may be told about how to behave. Records; pure. */
package io.github.rpcrdma4j.rpcrdma.v2.options;
