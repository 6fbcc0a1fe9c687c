/**
 * A table of access rights over NFS versions 3, 4.0 and 4.2. Each case is one call of one caller on
 * files made for it, or in version 4 a few COMPOUNDs, such as an OPEN and a use of what it opened;
 * and the changes of these files as the server's operating system reports them.
 *
 * <p>Shell scripts prepare and inspect the files; they run as root on the server's machine ({@link
 * io.github.rpcrdma4j.interop.access.ServerShell}). The calls travel over TCP. So the table applies
 * to any NFS server, to ours as to the Linux kernel's. The golden table holds the outcomes of the
 * kernel's server.
 */
package io.github.rpcrdma4j.interop.access;
