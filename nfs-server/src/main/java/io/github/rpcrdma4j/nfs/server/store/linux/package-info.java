/**
 * Files of Linux, reached by descriptors and the kernel's own file handles through the foreign
 * function interface. The kernel decides what a caller may do: what needs a caller's rights runs on
 * a thread that has taken the caller's identity. After the start nothing is opened, asked for or
 * changed by a path of the export.
 */
package io.github.rpcrdma4j.nfs.server.store.linux;
