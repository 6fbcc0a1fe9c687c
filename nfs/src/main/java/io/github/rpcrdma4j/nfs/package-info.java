/**
 * Common types of all versions of NFS: names and paths as bytes, and the rows of the bindings to
 * RPC-over-RDMA (RFC 8267). NFSACL, NLM and NSM have no items that are eligible for direct
 * placement, so they need no binding. NFS version 4 has no binding yet.
 */
package io.github.rpcrdma4j.nfs;
