/**
 * Files of any {@link java.nio.file.FileSystem}: archives, file systems in memory, and those of
 * systems that have no better store. See {@link io.github.rpcrdma4j.nfs.server.store.nio.NioStore}
 * for whose rights count and for what holds the paths.
 *
 * <p>What {@code java.nio.file} cannot do, or not tell:
 *
 * <ul>
 *   <li>Devices, sockets and FIFOs are not made, and their times are not changed.
 *   <li>The number of files is made up from the bytes, and the bytes that a file uses are its size,
 *       holes and all.
 *   <li>The text of a link loses doubled and trailing slashes. Names that are not UTF-8 are not
 *       listed, and calls with such names or texts are INVAL; so are names that the encoding of the
 *       process ({@code sun.jnu.encoding}) cannot write.
 *   <li>Without Unix attributes, owners and permissions are made up, and changing them does
 *       nothing.
 *   <li>A file without permission to write is not written, though NFS lets its owner go on.
 *   <li>A directory is brought to storage where it can be opened to be read, as on Linux;
 *       elsewhere, and where this process may not read it, names are as safe as the file system
 *       makes them. Links are as safe as their directory.
 *   <li>Most reasons of the operating system come as words, in the language of the process ({@code
 *       LC_MESSAGES}). They are not read: what can be seen is looked for, like room, a file system
 *       that is read-only, or a file of another user. A quota that is used up and the most links of
 *       a file system are {@link io.github.rpcrdma4j.nfs.server.store.Failure#IO} therefore. So a
 *       WRITE that a quota refuses changes the write verifier, as a failure of the storage does.
 *   <li>Other file systems are told from the export's by their device. An identity has no file
 *       system in it: another disk in the place of the exported one is taken for it, as far as
 *       inode numbers and times of birth agree.
 *   <li>A file that another process moves is stale until it is looked up again, or the server
 *       starts again.
 * </ul>
 */
package io.github.rpcrdma4j.nfs.server.store.nio;
