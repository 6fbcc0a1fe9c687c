/** NFSACL as a program: access control lists beside NFS version 3. */
package io.github.rpcrdma4j.nfs.server.acl;
