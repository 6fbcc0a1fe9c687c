/** The options and counters of an endpoint of version 2. Records and enums; pure. */
package io.github.rpcrdma4j.rpcrdma.v2.options;
