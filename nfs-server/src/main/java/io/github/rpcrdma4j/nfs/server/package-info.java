/**
 * The server side of NFS version 3 and MOUNT version 3 (RFC 1813) as RPC programs for any
 * transport. The programs access files only through {@link
 * io.github.rpcrdma4j.nfs.server.store.FileStore}s; the documentation of each store lists its
 * limitations.
 *
 * <p>Differences from RFC 1813:
 *
 * <ul>
 *   <li>Only root may choose the owner of a new file, as in Linux.
 *   <li>Times before 1970 and after 2106 are sent as the earliest and the latest time of the
 *       protocol.
 * </ul>
 */
package io.github.rpcrdma4j.nfs.server;
