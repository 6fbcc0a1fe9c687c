/**
 * The attributes of files in NFS version 4: their numbers, sets of them, and their values with XDR
 * (RFC 8881, Sections 5 and 6). A server writes what it knows ({@link
 * io.github.rpcrdma4j.nfs.v4.attribute.FileFacts}), and reads what a client sets ({@link
 * io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes}).
 */
package io.github.rpcrdma4j.nfs.v4.attribute;
