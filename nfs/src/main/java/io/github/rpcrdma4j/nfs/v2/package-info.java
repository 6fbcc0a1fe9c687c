/**
 * NFS version 2 (RFC 1094): calls, replies and attributes as records with their codecs, and the
 * Upper-Layer Binding (RFC 8267, Section 4) as a table.
 *
 * <p>File names and paths are bytes, as in version 3.
 */
package io.github.rpcrdma4j.nfs.v2;
