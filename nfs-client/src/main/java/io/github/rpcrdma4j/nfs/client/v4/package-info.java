/**
 * Versions 4.0, 4.1 and 4.2 of NFS behind a {@link
 * io.github.rpcrdma4j.nfs.client.service.FileService}: the driver of a session, or of a lease in
 * version 4.0, and how each operation on files becomes a COMPOUND.
 */
package io.github.rpcrdma4j.nfs.client.v4;
