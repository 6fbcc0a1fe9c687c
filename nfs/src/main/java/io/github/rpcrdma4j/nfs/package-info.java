/**
 * What all versions of NFS have in common: names and paths, which are bytes, and the bindings to
 * RPC-over-RDMA (RFC 8267). NFSACL, NLM and NSM have nothing that may be placed directly, and so no
 * binding; NFS version 4 has none yet.
 */
package io.github.rpcrdma4j.nfs;
