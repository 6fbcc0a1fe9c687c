/** NFSACL as programs: access control lists beside NFS versions 2 and 3. */
package io.github.rpcrdma4j.nfs.server.acl;
