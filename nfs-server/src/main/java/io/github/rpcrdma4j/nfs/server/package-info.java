/**
 * The server's side of NFS version 3 and MOUNT version 3 (RFC 1813) as RPC programs, whatever
 * transport carries them. They reach files through {@link
 * io.github.rpcrdma4j.nfs.server.store.FileStore}s alone; what a store cannot do is said there.
 *
 * <p>What differs from RFC 1813:
 *
 * <ul>
 *   <li>Attributes of a new file: an owner is only taken from root, as at Linux.
 *   <li>Times before 1970 and after 2106 are the first and the last ones that can be said.
 * </ul>
 */
package io.github.rpcrdma4j.nfs.server;
