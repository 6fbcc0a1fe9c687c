/**
 * A gateway: it accepts connections of clients over one transport, opens one connection to a server
 * for each of them, and passes calls and replies on unchanged.
 */
package io.github.rpcrdma4j.gateway;
