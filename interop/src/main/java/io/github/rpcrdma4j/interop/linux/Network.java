package io.github.rpcrdma4j.interop.linux;

import java.net.NetworkInterface;
import java.net.SocketException;

/**
 * How the guest reaches the host.
 *
 * @param guest the guest's address
 * @param host the host's address as the guest sees it
 * @param listen where a server on the host listens for the guest
 * @param knfsd where a client on the host finds the guest's ports
 * @param backend what the emulator does with the guest's packets
 * @param mtuMax bytes of the longest packet
 */
record Network(String guest, String host, String listen, String knfsd, String backend, int mtuMax) {
    static final int RDMA_PORT = 20049;
    static final int MOUNT_PORT = 20048;
    static final int KDC_PORT = 10088;

    private static final String LINK = "guest";

    /**
     * User networking of the emulator: TCP ends in it at both sides, in packets of 1500 bytes.
     *
     * @param forwarded ports of the guest that are reached by ports of the host
     */
    static Network user(int... forwarded) {
        var backend = new StringBuilder("user,id=net,net=10.0.2.0/24,host=10.0.2.2");
        for (int port : forwarded) {
            backend.append(",hostfwd=tcp:127.0.0.1:%d-10.0.2.15:%d".formatted(port, port));
        }
        return new Network(
                "10.0.2.15", "10.0.2.2", "127.0.0.1", "127.0.0.1", backend.toString(), 1500);
    }

    /**
     * A link of its own: one TCP connection from end to end, and silence when the guest is gone.
     */
    static Network link() {
        return new Network(
                "10.0.3.15",
                "10.0.3.2",
                "10.0.3.2",
                "10.0.3.15",
                // Without the header of virtio, which would be captured in front of every packet.
                "tap,id=net,ifname=" + LINK + ",script=no,downscript=no,vnet_hdr=off",
                65000);
    }

    /** Whether {@code interop/run} could make that link. */
    static boolean hasLink() throws SocketException {
        return NetworkInterface.getByName(LINK) != null;
    }
}
