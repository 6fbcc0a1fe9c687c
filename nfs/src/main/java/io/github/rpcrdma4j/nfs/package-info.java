/**
 * What the bindings of all versions of NFS to RPC-over-RDMA have in common (RFC 8267). NFSACL, NLM
 * and NSM have nothing that may be placed directly, and so no binding; NFS version 4 has none yet.
 */
package io.github.rpcrdma4j.nfs;
