package io.github.rpcrdma4j.oncrpc.gss;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/** Converts the handles of a server's contexts, which are numbers of 64 bits. */
final class ContextHandle {
    private static final ValueLayout.OfLong UINT64 =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private ContextHandle() {}

    static byte[] bytes(long handle) {
        byte[] bytes = new byte[Long.BYTES];
        MemorySegment.ofArray(bytes).set(UINT64, 0, handle);
        return bytes;
    }

    /** Returns the number of a handle, or empty if its length is not that of our handles. */
    static OptionalLong of(byte[] bytes) {
        return bytes.length == Long.BYTES
                ? OptionalLong.of(MemorySegment.ofArray(bytes).get(UINT64, 0))
                : OptionalLong.empty();
    }
}
