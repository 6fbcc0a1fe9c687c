package io.github.rpcrdma4j.rdmacore.library;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Foreign memory by address. An address that is not valid crashes the process. */
public final class Memory {
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Memory() {}

    /** Returns the unsigned byte at an address. */
    public static int uint8(long address) {
        return Byte.toUnsignedInt(ALL.get(ValueLayout.JAVA_BYTE, address));
    }

    /** Sets the byte at an address. */
    public static void int8(long address, int value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, (byte) value);
    }

    /** Returns the unsigned 16-bit number at an address. */
    public static int uint16(long address) {
        return Short.toUnsignedInt(ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address));
    }

    /** Sets the 16-bit number at an address. */
    public static void int16(long address, int value) {
        ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, (short) value);
    }

    /** Returns the 32-bit number at an address. */
    public static int int32(long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    /** Sets the 32-bit number at an address. */
    public static void int32(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    /** Returns the 64-bit number or pointer at an address. */
    public static long int64(long address) {
        return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
    }

    /** Sets the 64-bit number or pointer at an address. */
    public static void int64(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
    }

    /** Returns a copy of bytes. */
    public static byte[] bytes(long address, int length) {
        return ALL.asSlice(address, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Returns the text at an address up to its zero byte. */
    public static String text(long address) {
        return ALL.getString(address);
    }

    /** Sets bytes to zero. */
    public static void clear(long address, long length) {
        ALL.asSlice(address, length).fill((byte) 0);
    }
}
