package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Sends datagrams to sockets of the Unix domain, for which Java has no channel. Thread-safe. */
public final class UnixDatagram {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int MSG_NOSIGNAL = 0x4000;

    /** The bytes of a name in struct sockaddr_un. */
    private static final int NAME_MAX = 108;

    private static final int NAME_AT = 2;
    private static final int MESSAGE_AT = Scratch.TEXT + NAME_AT + NAME_MAX + 2;

    /** The longest datagram, in bytes. */
    public static final int MESSAGE_MAX = Scratch.TEXT_MAX - NAME_MAX - 4;

    private UnixDatagram() {}

    /**
     * Sends a datagram. Needs {@link SystemCalls#missing} to be empty.
     *
     * @param name the path of the socket; or {@code @} and its name in the abstract namespace
     * @param message at most {@link #MESSAGE_MAX} bytes
     * @return 0, or the negative error number of Linux
     * @throws IllegalArgumentException if the name or the message is too long
     */
    public static int send(String name, byte[] message) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length >= NAME_MAX || message.length > MESSAGE_MAX) {
            throw new IllegalArgumentException("too long for a datagram or its address");
        }
        var scratch = Scratch.acquire();
        try {
            return send(scratch, bytes, message);
        } finally {
            scratch.release();
        }
    }

    private static int send(Scratch scratch, byte[] name, byte[] message) {
        boolean isAbstract = name[0] == '@';
        scratch.memory.set(ValueLayout.JAVA_SHORT, Scratch.TEXT, (short) AF_UNIX);
        long at = scratch.text(Scratch.TEXT + NAME_AT, name) - NAME_AT;
        if (isAbstract) {
            scratch.memory.set(ValueLayout.JAVA_BYTE, Scratch.TEXT + NAME_AT, (byte) 0);
        }
        // The NUL behind a path belongs to it; in the abstract namespace each byte counts.
        int length = NAME_AT + name.length + (isAbstract ? 0 : 1);
        MemorySegment.copy(
                message, 0, scratch.memory, ValueLayout.JAVA_BYTE, MESSAGE_AT, message.length);
        int socket = call(scratch, CallNumber.SOCKET, AF_UNIX, SOCK_DGRAM | Kernel.O_CLOEXEC, 0);
        if (socket < 0) {
            return socket;
        }
        long sent =
                call(
                        scratch,
                        CallNumber.SENDTO,
                        socket,
                        scratch.address + MESSAGE_AT,
                        message.length,
                        MSG_NOSIGNAL,
                        at,
                        length);
        Kernel.close(scratch, socket);
        return sent < 0 ? (int) sent : 0;
    }
}
