/**
 * Version 3 of NFS behind a {@link io.github.rpcrdma4j.nfs.client.service.FileService}, with MOUNT
 * and NFSACL beside it, and version 2 in the form of version 3.
 */
package io.github.rpcrdma4j.nfs.client.v3;
