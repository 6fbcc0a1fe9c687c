package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.nfs.NfsPort;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/**
 * The commands that mount an export at a Linux client.
 *
 * @param rdma where the server listens for RDMA
 * @param host the server, as clients are to name it
 * @param flavor which they use
 */
public record MountText(InetSocketAddress rdma, String host, SecurityFlavor flavor) {
    /**
     * Returns the command for version 4, of which Linux asks for the newest minor version unless
     * told otherwise.
     */
    public String version4(String export) {
        return "mount -t nfs -o %s%s%s %s:%s /mnt"
                .formatted(
                        six().isEmpty() ? "rdma" : "proto=rdma6",
                        rdma.getPort() == NfsPort.RDMA ? "" : ",port=" + rdma.getPort(),
                        sec(),
                        host,
                        export);
    }

    /**
     * Returns the command for version 4 over TCP.
     *
     * @param port where the server listens for TCP
     */
    public String version4OverTcp(String export, int port) {
        return "mount -t nfs -o proto=tcp%s,port=%d%s %s:%s /mnt"
                .formatted(six(), port, sec(), host, export);
    }

    /**
     * Returns the command for version 3.
     *
     * @param mountPort where the server listens for MOUNT, over TCP
     * @param locks whether clients find the server's programs for locks
     */
    public String version3(String export, int mountPort, boolean locks) {
        return older("vers=3,proto=rdma", "", export, mountPort, locks);
    }

    /** Returns the command for version 2; for the port see {@link #version3}. */
    public String version2(String export, int mountPort, boolean locks) {
        return older("vers=2,proto=rdma", ",mountvers=1", export, mountPort, locks);
    }

    private String older(
            String transport, String mountVersion, String export, int mountPort, boolean locks) {
        // Linux locks with AUTH_SYS, over a mount with Kerberos too.
        boolean canLock = locks && flavor == SecurityFlavor.SYS;
        return "mount -t nfs -o %s%s,port=%d,mountproto=tcp%s%s,mountport=%d%s%s %s:%s /mnt"
                .formatted(
                        transport,
                        six(),
                        rdma.getPort(),
                        six(),
                        mountVersion,
                        mountPort,
                        canLock ? "" : ",nolock",
                        sec(),
                        host,
                        export);
    }

    private String six() {
        var address = rdma.getAddress();
        return address instanceof Inet6Address && !address.isAnyLocalAddress() ? "6" : "";
    }

    private String sec() {
        return flavor == SecurityFlavor.SYS ? "" : ",sec=" + flavor.word();
    }

    /** Returns the text of a server that clients are to name by an address; any, if it has all. */
    public static String host(InetSocketAddress rdma) {
        return rdma.getAddress().isAnyLocalAddress()
                ? "SERVER"
                : HostPort.bracketed(rdma.getHostString());
    }
}
