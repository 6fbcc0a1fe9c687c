package io.github.rpcrdma4j.oncrpc.gss;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/** The names that a server gives to its contexts: 64 bits. */
final class ContextHandle {
    private static final ValueLayout.OfLong UINT64 =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private ContextHandle() {}

    static byte[] octets(long handle) {
        byte[] octets = new byte[Long.BYTES];
        MemorySegment.ofArray(octets).set(UINT64, 0, handle);
        return octets;
    }

    /** Empty if no handle of ours looks like that. */
    static OptionalLong of(byte[] octets) {
        return octets.length == Long.BYTES
                ? OptionalLong.of(MemorySegment.ofArray(octets).get(UINT64, 0))
                : OptionalLong.empty();
    }
}
