package io.github.rpcrdma4j.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.Optional;

/** Finds the addresses that the kernel delivers to this machine (rtnetlink(7)). Thread-safe. */
public final class LocalRoutes {
    private static final int NETLINK_ROUTE = 0;
    private static final short RTM_NEWROUTE = 24;
    private static final short RTM_GETROUTE = 26;
    private static final short RTA_DST = 1;
    private static final byte RTN_LOCAL = 2;
    private static final byte AF_INET = 2;
    private static final byte AF_INET6 = 10;

    /** struct rtmsg. */
    private static final int ROUTE_BYTES = 12;

    private static final int FAMILY_AT = Netlink.HEADER_BYTES;
    private static final int LENGTH_AT = Netlink.HEADER_BYTES + 1;
    private static final int TYPE_AT = Netlink.HEADER_BYTES + 7;

    /** struct rtattr, which the address follows. */
    private static final int ATTRIBUTE_AT = Netlink.HEADER_BYTES + ROUTE_BYTES;

    private static final int ATTRIBUTE_BYTES = 4;

    private LocalRoutes() {}

    /**
     * Returns whether the kernel delivers to this machine what is sent to an address: it is of an
     * interface, or in a network that a route makes local, such as 127.0.0.0/8. A process of this
     * machine can have it as its own. Needs {@link SystemCalls#missing} to be empty. Nothing if the
     * kernel does not tell, or has no route.
     */
    public static Optional<Boolean> isLocal(InetAddress address) {
        byte[] bytes = address.getAddress();
        var scratch = Scratch.acquire();
        try {
            var out =
                    Netlink.question(
                            scratch, RTM_GETROUTE, ATTRIBUTE_AT + ATTRIBUTE_BYTES + bytes.length);
            out.set(
                    ValueLayout.JAVA_BYTE,
                    FAMILY_AT,
                    bytes.length == Integer.BYTES ? AF_INET : AF_INET6);
            out.set(ValueLayout.JAVA_BYTE, LENGTH_AT, (byte) (bytes.length * Byte.SIZE));
            out.set(ValueLayout.JAVA_SHORT, ATTRIBUTE_AT, (short) (ATTRIBUTE_BYTES + bytes.length));
            out.set(ValueLayout.JAVA_SHORT, ATTRIBUTE_AT + Short.BYTES, RTA_DST);
            MemorySegment.copy(
                    bytes,
                    0,
                    out,
                    ValueLayout.JAVA_BYTE,
                    ATTRIBUTE_AT + ATTRIBUTE_BYTES,
                    bytes.length);
            var answer = Netlink.ask(scratch, NETLINK_ROUTE, out, RTM_NEWROUTE, ATTRIBUTE_AT);
            return answer == null
                    ? Optional.empty()
                    : Optional.of(answer.get(ValueLayout.JAVA_BYTE, TYPE_AT) == RTN_LOCAL);
        } finally {
            scratch.release();
        }
    }
}
