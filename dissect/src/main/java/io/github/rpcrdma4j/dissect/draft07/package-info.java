/**
 * The wire forms of the last draft of RPC-over-RDMA version 2
 * (draft-ietf-nfsv4-rpcrdma-version-two-07, Sections 5 to 7), which has the version word of {@code
 * wire.v2} and nothing else in common with it. Records and total codecs; pure.
 *
 * <p>No endpoint here speaks it: a server answers it by ERR_VERS, so that both ends go on with
 * version 1. Captures may have it, and what takes those apart is who reads it here. What goes
 * beyond single headers is left out: running credits, which header may follow which, and what an
 * endpoint has to say about itself.
 */
package io.github.rpcrdma4j.dissect.draft07;
