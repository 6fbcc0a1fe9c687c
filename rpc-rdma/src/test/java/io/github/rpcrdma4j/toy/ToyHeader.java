package io.github.rpcrdma4j.toy;

import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A header of version 1 with one additional word, and with version number 7.
 *
 * <pre>
 *   xid | 7 | credit | proc | word | the rest as in version 1
 * </pre>
 */
record ToyHeader(Version1Header inner) implements TransportHeader {
    static final int WORD_BYTES = Integer.BYTES;
    private static final int VERSION = 7;
    private static final int WORD = 0x70795f21;
    private static final int VERSION_AT = 4;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    @Override
    public int encodedLength() {
        return inner.encodedLength() + WORD_BYTES;
    }

    @Override
    public int encode(MemorySegment target) {
        int fixed = Version1HeaderCodec.FIXED_BYTES;
        int length = inner.encode(target.asSlice(WORD_BYTES));
        MemorySegment.copy(target, WORD_BYTES, target, 0, fixed);
        target.set(UINT32, VERSION_AT, VERSION);
        target.set(UINT32, fixed, WORD);
        return length + WORD_BYTES;
    }

    /** Returns a copy as version 1, without the word; returns any other message unchanged. */
    static MemorySegment plain(MemorySegment message) {
        int fixed = Version1HeaderCodec.FIXED_BYTES;
        if (message.byteSize() < fixed + WORD_BYTES
                || message.get(UINT32, VERSION_AT) != VERSION
                || message.get(UINT32, fixed) != WORD) {
            return message;
        }
        var plain = MemorySegment.ofArray(new byte[(int) message.byteSize() - WORD_BYTES]);
        MemorySegment.copy(message, 0, plain, 0, fixed);
        MemorySegment.copy(message, fixed + WORD_BYTES, plain, fixed, plain.byteSize() - fixed);
        plain.set(UINT32, VERSION_AT, Version1Header.VERSION);
        return plain;
    }
}
