/**
 * How much the state keeps, and for how long: settings of a server, and rules of channels. Pure.
 */
package io.github.rpcrdma4j.nfs.state.limit;
