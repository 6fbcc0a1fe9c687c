package io.github.rpcrdma4j.iwarp.tcp;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * The peers that ended a connection because they found a CRC wrong. TCP has checked the bytes
 * before. So it is more likely that the receiver computes the CRC wrongly than that the bytes
 * changed. Known drivers do so when TCP cuts a trailer in two. This side does not ask such a peer
 * for CRCs again; it sends them if the peer asks. Thread-safe.
 */
final class PeersWithWrongCrc {
    /** The most peers kept; beyond it the oldest is forgotten. */
    static final int PEERS_MAX = 256;

    /**
     * A peer.
     *
     * @param identity who it was found to be when it was accepted, so that a user of this machine
     *     turns off no CRCs of others; empty if nobody was asked
     */
    record Peer(InetAddress address, Optional<Object> identity) {}

    private final ArrayDeque<Peer> peers = new ArrayDeque<>();

    synchronized void add(Peer peer) {
        if (peers.contains(peer)) {
            return;
        }
        if (peers.size() == PEERS_MAX) {
            peers.removeFirst();
        }
        peers.addLast(peer);
    }

    synchronized boolean contains(Peer peer) {
        return peers.contains(peer);
    }
}
