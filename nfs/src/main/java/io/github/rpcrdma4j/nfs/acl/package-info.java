/**
 * NFSACL, the protocol for access control lists beside NFS versions 2 and 3: its bindings, and its
 * messages as records. Access control lists as values, and as extended attributes of Linux.
 */
package io.github.rpcrdma4j.nfs.acl;
