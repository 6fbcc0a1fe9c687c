/**
 * The Upper-Layer Binding of NFS version 2 (RFC 1094; RFC 8267, Section 4). The protocol itself is
 * not served here; the table lets its clients and servers use the transport.
 */
package io.github.rpcrdma4j.nfs.v2;
