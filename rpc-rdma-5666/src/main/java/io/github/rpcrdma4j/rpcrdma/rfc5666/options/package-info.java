/** The settings and counters of fetched replies; pure. */
package io.github.rpcrdma4j.rpcrdma.rfc5666.options;
