/**
 * Transport headers of the last draft of RPC-over-RDMA version 2
 * (draft-ietf-nfsv4-rpcrdma-version-two-07, Sections 5 to 7). It shares only the version number
 * with the drafts that this project's endpoints implement. Records and decoders; pure.
 *
 * <p>No endpoint of this project implements it: a server answers with ERR_VERS, and both sides
 * continue with version 1. The package exists because captures may contain it. It covers single
 * headers only: no running credits, no order of headers, and no properties to send.
 */
package io.github.rpcrdma4j.dissect.draft07;
