/**
 * The client side of NFS version 3 and MOUNT version 3 (RFC 1813), over any transport: operations
 * on single files by path, and copies of files and trees with many outstanding calls.
 */
package io.github.rpcrdma4j.nfs.client;
