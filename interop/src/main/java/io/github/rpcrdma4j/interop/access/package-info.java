/**
 * A table of access rights over NFS version 3. Each case is one call of one caller on files made
 * for it, and the changes of these files as the server's operating system reports them.
 *
 * <p>Shell scripts prepare and inspect the files; they run as root on the server's machine ({@link
 * io.github.rpcrdma4j.interop.access.ServerShell}). The calls travel over TCP. So the table applies
 * to any NFS server, to ours as to the Linux kernel's. The golden table holds the outcomes of the
 * kernel's server.
 */
package io.github.rpcrdma4j.interop.access;
