/** The options that builders of clients and servers set. */
package io.github.rpcrdma4j.rpcrdma.options;
