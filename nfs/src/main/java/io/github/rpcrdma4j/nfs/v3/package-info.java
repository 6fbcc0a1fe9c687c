/**
 * NFS version 3 (RFC 1813): calls, replies and attributes as records with their codecs, and the
 * Upper-Layer Binding (RFC 8267, Section 4) as a table.
 *
 * <p>File names and paths are bytes. RFC 1813 does not define their character set, so a decoder
 * accepts any bytes in them.
 */
package io.github.rpcrdma4j.nfs.v3;
