/**
 * What goes into the state and comes out of it: calls of clients, their outcomes, actions for the
 * driver, and what administrators see. All are values. Pure.
 */
package io.github.rpcrdma4j.nfs.state.event;
