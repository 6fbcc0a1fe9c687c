package io.github.rpcrdma4j.iwarp.tcp;

import java.net.InetAddress;
import java.util.ArrayDeque;

/**
 * Addresses that ended a connection because a CRC was wrong to them. As TCP has checked the bytes
 * before, it is more likely that a receiver miscounts than that they changed on the way: known
 * drivers do, when TCP cuts a trailer in two. Such a peer is not asked for CRCs again; if it asks,
 * they are sent. Thread-safe.
 */
final class CrcComplaints {
    /** More addresses than this are not kept: the oldest is forgotten. */
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
