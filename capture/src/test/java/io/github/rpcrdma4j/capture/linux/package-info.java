/**
 * Captured traffic of Linux peers: the six captures beside this class, as byte streams. They are
 * the golden vectors of the iWARP and RPC-over-RDMA decoders.
 */
package io.github.rpcrdma4j.capture.linux;
