package io.github.rpcrdma4j.interop.access;

import java.net.InetSocketAddress;

/**
 * The addresses and export names of a server.
 *
 * @param nfs the address of NFS version 3 over TCP
 * @param mount the address of MOUNT over TCP
 * @param prefix the path before the slash and the directory in the names of its exports; may be
 *     empty
 */
public record TableServer(InetSocketAddress nfs, InetSocketAddress mount, String prefix) {
    String export(Exported exported) {
        return prefix + "/" + exported.directory();
    }
}
