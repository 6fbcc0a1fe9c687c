package io.github.rpcrdma4j.interop.linux;

import java.net.NetworkInterface;
import java.net.SocketException;

/**
 * The network between guest and host.
 *
 * @param guest the guest's address
 * @param host the host's address as the guest sees it
 * @param listen the address on which servers of the host listen for the guest
 * @param knfsd the address at which clients on the host reach the guest's ports
 * @param backend the emulator's option for the guest's network card
 * @param mtuMax the length of the longest packet, in bytes
 */
record Network(String guest, String host, String listen, String knfsd, String backend, int mtuMax) {
    static final int RDMA_PORT = 20049;
    static final int NFS_PORT = 2049;
    static final int MOUNT_PORT = 20048;
    static final int KDC_PORT = 10088;

    /** The port of a gateway that is killed. */
    static final int KILLED_PORT = 20050;

    private static final String LINK = "guest";
    private static final String SECOND_LINK = "second";

    /**
     * Returns the emulator's user networking. The emulator ends the TCP connections of both sides,
     * and its packets have 1500 bytes.
     *
     * @param forwarded ports of the guest that the emulator forwards from the host
     */
    static Network user(int... forwarded) {
        var none = "user,id=net,net=10.0.2.0/24,host=10.0.2.2";
        return new Network("10.0.2.15", "10.0.2.2", "127.0.0.1", "127.0.0.1", none, 1500)
                .forwarding("127.0.0.1", forwarded);
    }

    /**
     * Returns this user networking with more ports of the guest that the host can reach.
     *
     * @param address an address of the host, where the emulator listens
     */
    Network forwarding(String address, int... ports) {
        var more = new StringBuilder(backend);
        for (int port : ports) {
            more.append(",hostfwd=tcp:%s:%d-%s:%d".formatted(address, port, guest, port));
        }
        return new Network(guest, host, listen, knfsd, more.toString(), mtuMax);
    }

    /**
     * Returns a direct link. Each TCP connection runs from end to end, and a guest without power
     * sends nothing more.
     */
    static Network link() {
        return link(LINK, "10.0.3.15", "10.0.3.2");
    }

    /**
     * Returns a direct link of a second guest. Servers that listen for the first guest can be
     * reached over it, at their addresses, and reach this guest at its own one.
     */
    static Network secondLink() {
        return link(SECOND_LINK, "10.0.4.15", "10.0.4.2");
    }

    private static Network link(String name, String guest, String host) {
        return new Network(
                guest,
                host,
                host,
                guest,
                // Without vnet_hdr=off every captured packet would begin with a virtio header.
                "tap,id=net,ifname=" + name + ",script=no,downscript=no,vnet_hdr=off",
                65000);
    }

    /** Returns whether {@code interop/run} could make the direct link. */
    static boolean hasLink() throws SocketException {
        return NetworkInterface.getByName(LINK) != null;
    }
}
