/**
 * Wire profiles, and the interfaces to implement one. The options of a client or a server name a
 * {@link io.github.rpcrdma4j.rpcrdma.profile.WireProfile}, and the engine calls it where profiles
 * differ.
 */
package io.github.rpcrdma4j.rpcrdma.profile;
