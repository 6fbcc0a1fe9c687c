/** The default file system of a Java virtual machine, with NFS servers below a directory. */
package io.github.rpcrdma4j.nfs.nio.routed;
