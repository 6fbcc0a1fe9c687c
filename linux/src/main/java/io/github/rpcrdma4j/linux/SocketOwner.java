package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.OptionalLong;

/**
 * Finds the users of TCP sockets of this machine, by the protocol {@code NETLINK_SOCK_DIAG} of
 * Linux (sock_diag(7)). Thread-safe.
 */
public final class SocketOwner {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int IPPROTO_TCP = 6;
    private static final short SOCK_DIAG_BY_FAMILY = 20;
    private static final short NLM_F_REQUEST = 1;
    private static final byte ESTABLISHED = 1;
    private static final int NO_COOKIE = -1;

    /** struct nlmsghdr, 16 bytes, and struct inet_diag_req_v2. */
    private static final int REQUEST_BYTES = 72;

    private static final int TYPE_AT = 4;
    private static final int FLAGS_AT = 6;
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

    /**
     * Returns the user of a connected TCP socket of this network namespace, unsigned. Needs {@link
     * SystemCalls#missing} to be empty. Empty if there is no such socket, if its process has closed
     * it or one of its directions, if the addresses are of different families, or if the kernel
     * does not tell.
     *
     * @param local the address and port of the socket
     * @param remote to which it is connected
     */
    public static OptionalLong find(InetSocketAddress local, InetSocketAddress remote) {
        int length = local.getAddress().getAddress().length;
        if (length != remote.getAddress().getAddress().length) {
            return OptionalLong.empty();
        }
        var scratch = Scratch.acquire();
        try {
            return find(scratch, local, remote);
        } finally {
            scratch.release();
        }
    }

    private static OptionalLong find(
            Scratch scratch, InetSocketAddress local, InetSocketAddress remote) {
        int flags = SOCK_RAW | Kernel.O_CLOEXEC | Kernel.O_NONBLOCK;
        int socket = call(scratch, CallNumber.SOCKET, AF_NETLINK, flags, NETLINK_SOCK_DIAG);
        if (socket < 0) {
            return OptionalLong.empty();
        }
        try {
            ask(scratch.memory, local, remote);
            long text = scratch.address + Scratch.TEXT;
            long sent = call(scratch, CallNumber.SENDTO, socket, text, REQUEST_BYTES, 0, 0, 0);
            if (sent != REQUEST_BYTES) {
                return OptionalLong.empty();
            }
            // The kernel has answered when the request is sent.
            int got = call(scratch, CallNumber.READ, socket, text, Scratch.TEXT_MAX);
            return got < ANSWER_BYTES ? OptionalLong.empty() : user(scratch.memory);
        } finally {
            Kernel.close(scratch, socket);
        }
    }

    private static void ask(
            MemorySegment memory, InetSocketAddress local, InetSocketAddress remote) {
        var out = memory.asSlice(Scratch.TEXT, REQUEST_BYTES).fill((byte) 0);
        byte[] source = local.getAddress().getAddress();
        byte[] destination = remote.getAddress().getAddress();
        out.set(ValueLayout.JAVA_INT, 0, REQUEST_BYTES);
        out.set(ValueLayout.JAVA_SHORT, TYPE_AT, SOCK_DIAG_BY_FAMILY);
        out.set(ValueLayout.JAVA_SHORT, FLAGS_AT, NLM_F_REQUEST);
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
        int scope = local.getAddress() instanceof Inet6Address six ? six.getScopeId() : 0;
        out.set(ValueLayout.JAVA_INT, SOCKET_AT + 36, scope);
        out.set(ValueLayout.JAVA_INT, SOCKET_AT + 40, NO_COOKIE);
        out.set(ValueLayout.JAVA_INT, SOCKET_AT + 44, NO_COOKIE);
    }

    private static void port(MemorySegment out, int at, int port) {
        out.set(ValueLayout.JAVA_BYTE, at, (byte) (port >>> Byte.SIZE));
        out.set(ValueLayout.JAVA_BYTE, at + 1, (byte) port);
    }

    /** A socket that no process has any more has inode 0, and the kernel calls its user 0. */
    private static OptionalLong user(MemorySegment memory) {
        var in = memory.asSlice(Scratch.TEXT, ANSWER_BYTES);
        boolean isSocket = in.get(ValueLayout.JAVA_SHORT, TYPE_AT) == SOCK_DIAG_BY_FAMILY;
        boolean isOpen =
                isSocket
                        && in.get(ValueLayout.JAVA_BYTE, STATE_AT) == ESTABLISHED
                        && in.get(ValueLayout.JAVA_INT, INODE_AT) != 0;
        return isOpen
                ? OptionalLong.of(Integer.toUnsignedLong(in.get(ValueLayout.JAVA_INT, USER_AT)))
                : OptionalLong.empty();
    }
}
