/**
 * The bindings of NFSACL, the protocol for access control lists beside NFS versions 2 and 3, and
 * these lists as values.
 */
package io.github.rpcrdma4j.nfs.acl;
