/**
 * Files of Linux, accessed by descriptors and the kernel's own file handles through the foreign
 * function interface. The kernel checks the rights of callers: operations that need a caller's
 * rights run on a thread that has assumed the caller's identity. After the start, no system call
 * uses a path of the export.
 */
package io.github.rpcrdma4j.nfs.directories.linux;
