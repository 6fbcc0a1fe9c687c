package io.github.rpcrdma4j.nfs.server;

/**
 * What tells a file from all others of its export, whatever it is called.
 *
 * @param number the inode number, or what stands for it
 * @param birth when it was made, so that a number that is used again is another file; 0 where the
 *     file system does not tell
 */
record FileId(long number, int birth) {}
