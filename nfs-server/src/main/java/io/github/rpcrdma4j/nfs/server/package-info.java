/**
 * The server's side of NFS version 3 and MOUNT version 3 (RFC 1813): folders of {@link
 * java.nio.file.FileSystem}s as RPC programs, whatever transport carries them.
 *
 * <p>Where the process is root and the export is a folder of the operating system, the caller's
 * AUTH_SYS identity decides what it may do and who owns what it makes, by owner, group and
 * permission bits; access control lists are not looked at, and user 0 of every client is root.
 * Everywhere else the process acts with its own rights for every caller. Without Unix attributes,
 * owners and permissions are made up, and changing them does nothing.
 *
 * <p>On Linux the attributes of files are asked for faster if this module may call native code:
 * {@code --enable-native-access=io.github.rpcrdma4j.nfs.server}, or {@code ALL-UNNAMED} on the
 * class path.
 *
 * <p>What differs from RFC 1813:
 *
 * <ul>
 *   <li>Devices, sockets and FIFOs cannot be made: MKNOD is not supported.
 *   <li>WRITE and COMMIT force data to storage as they are asked to. New, changed and removed names
 *       are as safe as the file system makes them by itself: java.nio.file cannot force them
 *       everywhere.
 *   <li>FSSTAT makes the number of files up from the octets, and the octets that a file uses are
 *       its size, holes and all: java.nio.file knows neither.
 *   <li>The text of a link loses doubled and trailing slashes, as paths of Java do. Names that are
 *       not UTF-8 are not listed, and calls with such names or texts are INVAL.
 * </ul>
 */
package io.github.rpcrdma4j.nfs.server;
