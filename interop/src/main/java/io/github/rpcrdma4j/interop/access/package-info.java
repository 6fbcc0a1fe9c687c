/**
 * A table of who may do what over NFS version 3: one call of one caller on files made for it, and
 * what became of them as the server's own system sees it.
 *
 * <p>A server's files are prepared and looked at by shell scripts that run as root on its machine
 * ({@link io.github.rpcrdma4j.interop.access.ServerSide}); the calls are made over TCP. So the
 * table says nothing about how a server works, and holds for ours and for the Linux kernel's alike.
 * The outcomes of the kernel's server are kept as the golden table.
 */
package io.github.rpcrdma4j.interop.access;
