/**
 * The Upper-Layer Binding of NFS version 2 (RFC 1094; RFC 8267, Section 4). This package does not
 * implement the protocol; the table lets NFS version 2 clients and servers use the transport.
 */
package io.github.rpcrdma4j.nfs.v2;
