package io.github.rpcrdma4j.iwarp.tcp;

import java.net.InetAddress;
import java.util.ArrayDeque;

/**
 * The addresses of peers that ended a connection because they found a CRC wrong. TCP has checked
 * the bytes before. So it is more likely that the receiver computes the CRC wrongly than that the
 * bytes changed. Known drivers do so when TCP cuts a trailer in two. This side does not ask such a
 * peer for CRCs again; it sends them if the peer asks. Thread-safe.
 */
final class PeersWithWrongCrc {
    /** The most addresses kept; beyond it the oldest is forgotten. */
    static final int ADDRESSES_MAX = 256;

    private final ArrayDeque<InetAddress> addresses = new ArrayDeque<>();

    synchronized void add(InetAddress address) {
        if (addresses.contains(address)) {
            return;
        }
        if (addresses.size() == ADDRESSES_MAX) {
            addresses.removeFirst();
        }
        addresses.addLast(address);
    }

    synchronized boolean contains(InetAddress address) {
        return addresses.contains(address);
    }
}
