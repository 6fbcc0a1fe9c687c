/**
 * Version 2 of RPC-over-RDMA (see {@code docs/version-two.md}). {@link
 * io.github.rpcrdma4j.rpcrdma.v2.Version2Profile} is the profile.
 */
package io.github.rpcrdma4j.rpcrdma.v2;
