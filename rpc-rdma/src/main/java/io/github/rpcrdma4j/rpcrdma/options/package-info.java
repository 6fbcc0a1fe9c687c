/** The settings that builders of clients and servers gather; pure. */
package io.github.rpcrdma4j.rpcrdma.options;
