/**
 * The server side of NFS version 3 and MOUNT version 3 (RFC 1813), of NFSACL version 3, and of NFS
 * 4.0, 4.1 and 4.2 (RFC 7530, RFC 8881, RFC 7862), as RPC programs for any transport. On Linux,
 * files of the default file system are accessed by descriptors, and the kernel checks the rights of
 * callers. All other files are accessed by {@link java.nio.file} with the rights of the process;
 * devices, sockets and FIFOs cannot be made there, and listings omit names that are not UTF-8.
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
