package io.github.rpcrdma4j.rpcrdma;

import java.util.OptionalInt;

/**
 * How an endpoint speaks version 2 of RPC-over-RDMA, as {@code docs/version-two.md} describes it.
 * Its first message on a connection says what it is like; a peer that does not understand that is
 * spoken to in version 1, without a call being lost, if that will do.
 *
 * @param speaks1 whether version 1 will do too: for a client, with a server that speaks no other;
 *     for a server, with clients that begin so
 * @param receiveMax the longest receives that the peer may ask for, in octets: what this side posts
 *     then is that long
 * @param wantedReceive the receive size to ask the peer for, in octets; empty: whatever it has
 */
public record Version2(boolean speaks1, int receiveMax, OptionalInt wantedReceive) {
    /** Version 1 will do, and the peer may ask for 64 KiB. */
    public static final Version2 DEFAULT = new Version2(true, 64 << 10, OptionalInt.empty());

    private static final int RECEIVE_MIN = 1024;

    public Version2 {
        if (receiveMax < RECEIVE_MIN) {
            throw new IllegalArgumentException("receiveMax must be " + RECEIVE_MIN + " or more");
        }
        if (wantedReceive.isPresent() && wantedReceive.getAsInt() < RECEIVE_MIN) {
            throw new IllegalArgumentException("wantedReceive must be " + RECEIVE_MIN + " or more");
        }
    }

    public Version2 withSpeaks1(boolean changed) {
        return new Version2(changed, receiveMax, wantedReceive);
    }

    public Version2 withReceiveMax(int octets) {
        return new Version2(speaks1, octets, wantedReceive);
    }

    public Version2 withWantedReceive(int octets) {
        return new Version2(speaks1, receiveMax, OptionalInt.of(octets));
    }
}
