/**
 * The types that the operations of NFS version 4 share, with their XDR (RFC 8881, Section 3; RFC
 * 5662). A static {@code decode} and {@code encode} belong to each.
 */
package io.github.rpcrdma4j.nfs.v4.type;
