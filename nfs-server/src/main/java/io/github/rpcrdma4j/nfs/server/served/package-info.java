/**
 * The exports of a server, for all versions of NFS: the files that file handles name, and the users
 * that callers act as. {@code Exports} opens the file of a file handle for a call. {@code
 * HandleSeal} makes and checks file handles. {@code PseudoTree} is the pseudo file system above the
 * exports. {@code FileGuard} keeps operations from files that other clients have delegated. {@code
 * Callers} finds which user makes a call.
 */
package io.github.rpcrdma4j.nfs.server.served;
