/**
 * The server's side of NFS version 3 and MOUNT version 3 (RFC 1813): folders of {@link
 * java.nio.file.FileSystem}s as RPC programs, whatever transport carries them.
 *
 * <p>Where the process is root and the file system has Unix attributes, the caller's AUTH_SYS
 * identity decides what it may do and who owns what it makes. Everywhere else the process acts with
 * its own rights for every caller. Devices, sockets and FIFOs cannot be made.
 */
package io.github.rpcrdma4j.nfs.server;
