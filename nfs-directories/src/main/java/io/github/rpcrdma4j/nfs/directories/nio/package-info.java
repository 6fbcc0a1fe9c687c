/**
 * Files of any {@link java.nio.file.FileSystem}: archives, file systems in memory, and those of
 * systems that have no better store. {@link io.github.rpcrdma4j.nfs.directories.nio.NioStore}
 * describes the rights of callers and the lock on paths.
 *
 * <p>Limitations of {@code java.nio.file}:
 *
 * <ul>
 *   <li>The zip file system of the JDK is served read-only, because what is written to one of its
 *       files appears when the file is closed. A file system without {@link
 *       java.nio.channels.FileChannel}, such as that of {@code jrt}, is refused.
 *   <li>Devices, sockets and FIFOs cannot be made, and their times cannot be changed.
 *   <li>The numbers of total and free files are estimates from the bytes. The storage that a file
 *       takes is reported as its size, including holes.
 *   <li>The text of a link loses doubled and trailing slashes. Listings omit names that are not
 *       UTF-8, and calls with such names or texts fail with INVAL. So do calls with names that the
 *       encoding of the process ({@code sun.jnu.encoding}) cannot represent.
 *   <li>Access control lists and extended attributes are not set or read, storage is not allocated
 *       or freed, ranges are not copied or cloned, and locks are not shown to other processes. All
 *       bytes of a file count as data.
 *   <li>Without Unix attributes, owners and permissions are invented, and changes of them have no
 *       effect.
 *   <li>A file whose mode forbids writing cannot be written, although NFS lets its owner continue.
 *   <li>A directory is forced to storage if it can be opened for reading, as on Linux. Otherwise,
 *       and if this process may not read it, the file system alone determines the durability of
 *       names. Symbolic links are as durable as their directory.
 *   <li>The operating system reports most failures as messages in the language of the process
 *       ({@code LC_MESSAGES}). The store does not parse them but checks for visible reasons: a lack
 *       of space, a read-only file system, or a file of another user. An exhausted quota, and a
 *       limit of links below 32,000, are therefore {@link
 *       io.github.rpcrdma4j.nfs.store.Failure#IO}. So a WRITE that a quota refuses changes the
 *       write verifier, as a failure of the storage does.
 *   <li>Other file systems are distinguished from the export's by their device. The identity of a
 *       file does not contain its file system. If another disk replaces the exported one, its files
 *       count as the old ones if inode numbers and times of birth are equal.
 *   <li>A file that another process moves is stale until the next lookup of it or the next start of
 *       the server.
 * </ul>
 */
package io.github.rpcrdma4j.nfs.directories.nio;
