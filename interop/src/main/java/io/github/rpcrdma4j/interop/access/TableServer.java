package io.github.rpcrdma4j.interop.access;

import java.net.InetSocketAddress;

/**
 * Where a server is.
 *
 * @param nfs where NFS version 3 is served over TCP
 * @param mount where MOUNT is served over TCP
 * @param prefix what stands before a slash and the directory in the names of its exports; empty if
 *     nothing does
 */
public record TableServer(InetSocketAddress nfs, InetSocketAddress mount, String prefix) {
    String export(Exported exported) {
        return prefix + "/" + exported.directory();
    }
}
