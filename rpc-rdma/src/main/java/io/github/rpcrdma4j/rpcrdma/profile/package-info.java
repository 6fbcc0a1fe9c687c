/**
 * How the two sides of a connection speak on the wire, for those who add a way to speak: a {@link
 * io.github.rpcrdma4j.rpcrdma.profile.WireProfile} is chosen with the options of a client or a
 * server, and the engine asks it what differs.
 */
package io.github.rpcrdma4j.rpcrdma.profile;
