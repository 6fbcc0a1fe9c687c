package io.github.rpcrdma4j.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.OptionalLong;

/**
 * Finds the users of TCP sockets of this machine, by the protocol {@code NETLINK_SOCK_DIAG} of
 * Linux (sock_diag(7)). The user of a socket is the one who has made it, also when others use it.
 * Needs {@link SystemCalls#missing} to be empty. Thread-safe.
 */
public final class SocketOwner {
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int IPPROTO_TCP = 6;
    private static final short SOCK_DIAG_BY_FAMILY = 20;
    private static final byte ESTABLISHED = 1;
    private static final byte LISTEN = 10;
    private static final int NO_COOKIE = -1;

    /** struct nlmsghdr and struct inet_diag_req_v2. */
    private static final int QUESTION_BYTES = 72;

    private static final int FAMILY_AT = 16;
    private static final int PROTOCOL_AT = 17;
    private static final int STATES_AT = 20;
    private static final int SOCKET_AT = 24;

    /** struct nlmsghdr and struct inet_diag_msg. */
    private static final int ANSWER_BYTES = 88;

    private static final int STATE_AT = 17;
    private static final int USER_AT = 80;
    private static final int INODE_AT = 84;

    private SocketOwner() {}

    /** Whose the other end of an accepted connection is. */
    public sealed interface Peer {
        /** No socket of this network namespace. */
        record Absent() implements Peer {}

        /**
         * A socket of this network namespace, of a user who cannot be told: one of the ends has
         * closed meanwhile, or one of its directions.
         */
        record Unproved() implements Peer {}

        /**
         * A socket of a user of this machine.
         *
         * @param uid unsigned
         */
        record OfUser(long uid) implements Peer {}
    }

    /** A socket as the kernel describes it. */
    private record Socket(byte state, long uid, int inode) {
        /** One that no process has any more, or not yet, has inode 0, and its user says nothing. */
        boolean isOpenIn(byte wanted) {
            return state == wanted && inode != 0;
        }
    }

    /**
     * Returns whose the other end of a connection is that the calling thread has just accepted. It
     * must be the only thread that accepts from its listener, and must not have accepted another
     * connection since.
     *
     * <p>The peer may have closed its socket, and another process may have connected from the same
     * port since. That connection waits to be accepted, so its own socket has no inode yet. The
     * socket of the peer is asked for first: if after that this side's socket is still the accepted
     * one, and connected, the answer was about its peer.
     *
     * @param peer the address and port of the other end
     * @param local those of this end
     */
    public static Peer ofAccepted(InetSocketAddress peer, InetSocketAddress local) {
        var scratch = Scratch.acquire();
        try {
            var theirs = find(scratch, peer, local);
            if (theirs == null) {
                return new Peer.Absent();
            }
            boolean isProved =
                    theirs.isOpenIn(ESTABLISHED)
                            && find(scratch, local, peer) instanceof Socket own
                            && own.isOpenIn(ESTABLISHED);
            return isProved ? new Peer.OfUser(theirs.uid) : new Peer.Unproved();
        } finally {
            scratch.release();
        }
    }

    /**
     * Returns the user of the socket of this network namespace that takes connections to an
     * address, unsigned. Empty if there is none.
     *
     * @param from where such a connection comes from; its port is not used by any
     */
    public static OptionalLong ofListener(InetSocketAddress address, InetAddress from) {
        var scratch = Scratch.acquire();
        try {
            var found = find(scratch, address, new InetSocketAddress(from, 0));
            return found != null && found.isOpenIn(LISTEN)
                    ? OptionalLong.of(found.uid)
                    : OptionalLong.empty();
        } finally {
            scratch.release();
        }
    }

    /** Returns the socket with these two ends; null if there is none. */
    private static Socket find(Scratch scratch, InetSocketAddress local, InetSocketAddress remote) {
        byte[] source = local.getAddress().getAddress();
        byte[] destination = remote.getAddress().getAddress();
        if (source.length != destination.length) {
            return null;
        }
        var out = Netlink.question(scratch, SOCK_DIAG_BY_FAMILY, QUESTION_BYTES);
        out.set(
                ValueLayout.JAVA_BYTE,
                FAMILY_AT,
                (byte) (source.length == Integer.BYTES ? AF_INET : AF_INET6));
        out.set(ValueLayout.JAVA_BYTE, PROTOCOL_AT, (byte) IPPROTO_TCP);
        out.set(ValueLayout.JAVA_INT, STATES_AT, -1);
        // struct inet_diag_sockid: two ports, two addresses of 16 bytes, an interface, a cookie
        port(out, SOCKET_AT, local.getPort());
        port(out, SOCKET_AT + 2, remote.getPort());
        MemorySegment.copy(source, 0, out, ValueLayout.JAVA_BYTE, SOCKET_AT + 4, source.length);
        MemorySegment.copy(
                destination, 0, out, ValueLayout.JAVA_BYTE, SOCKET_AT + 20, destination.length);
        // With interface 0, sockets that are bound to an interface are not found: two of them may
        // have the same two ends.
        int scope = local.getAddress() instanceof Inet6Address six ? six.getScopeId() : 0;
        out.set(ValueLayout.JAVA_INT, SOCKET_AT + 36, scope);
        out.set(ValueLayout.JAVA_INT, SOCKET_AT + 40, NO_COOKIE);
        out.set(ValueLayout.JAVA_INT, SOCKET_AT + 44, NO_COOKIE);
        var in = Netlink.ask(scratch, NETLINK_SOCK_DIAG, out, SOCK_DIAG_BY_FAMILY, ANSWER_BYTES);
        return in == null
                ? null
                : new Socket(
                        in.get(ValueLayout.JAVA_BYTE, STATE_AT),
                        Integer.toUnsignedLong(in.get(ValueLayout.JAVA_INT, USER_AT)),
                        in.get(ValueLayout.JAVA_INT, INODE_AT));
    }

    private static void port(MemorySegment out, int at, int port) {
        out.set(ValueLayout.JAVA_BYTE, at, (byte) (port >>> Byte.SIZE));
        out.set(ValueLayout.JAVA_BYTE, at + 1, (byte) port);
    }
}
