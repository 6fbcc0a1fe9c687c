package io.github.rpcrdma4j.interop.access;

import java.net.InetSocketAddress;
import java.nio.ByteOrder;

/**
 * The addresses and export names of a server.
 *
 * @param nfs the address of NFS over TCP
 * @param mount the address of MOUNT over TCP
 * @param prefix the path before the slash and the directory in the names of its exports; may be
 *     empty
 * @param verifiers the order in which it reads the bytes of a verifier of exclusive creation as two
 *     times
 */
public record TableServer(
        InetSocketAddress nfs, InetSocketAddress mount, String prefix, ByteOrder verifiers) {
    /** Returns our server at an address, which has a directory for each export at its root. */
    public static TableServer ours(InetSocketAddress address) {
        return new TableServer(address, address, "", ByteOrder.BIG_ENDIAN);
    }

    String export(Exported exported) {
        return prefix + "/" + exported.directory();
    }
}
