package io.github.rpcrdma4j.oncrpc;

import java.net.InetSocketAddress;

/**
 * Who is at the other end of a connection, as it was found when the connection was accepted. It
 * stays when the connection has ended and another process has its port. Immutable.
 *
 * @param client whose quotas the connection and its calls use
 * @param process whose process it is
 */
public record PeerIdentity(ClientAddress client, Process process) {
    /** Whose process is at the other end. */
    public sealed interface Process {
        /** One of another machine. */
        record Elsewhere() implements Process {}

        /**
         * One of a user of this machine.
         *
         * @param uid the number of the user who has made the socket, unsigned
         */
        record Local(int uid) implements Process {
            /** Returns whether the user may do everything on this machine. */
            public boolean isRoot() {
                return uid == 0;
            }
        }

        /** One of this machine, or perhaps of it, whose user cannot be found. */
        record Unknown() implements Process {}
    }

    /** Returns the identity for servers that ask nobody: a client is an address. */
    public static PeerIdentity ofAddress(InetSocketAddress peer) {
        return new PeerIdentity(ClientAddress.of(peer), new Process.Unknown());
    }
}
