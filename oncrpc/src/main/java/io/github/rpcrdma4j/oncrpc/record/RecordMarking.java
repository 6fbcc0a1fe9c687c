package io.github.rpcrdma4j.oncrpc.record;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Encodes and decodes messages on a byte stream (RFC 5531, Section 11).
 *
 * <pre>
 *   record:    fragment, fragment, ... until one that is marked as the last
 *   fragment:  1 bit, whether it is the last | 31 bits, its length | as many bytes
 * </pre>
 */
public final class RecordMarking {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int LAST = 1 << 31;

    /** The type of a record of TLS, and the first byte of its version (RFC 8446, Section 5.1). */
    private static final int TLS_HANDSHAKE = 0x1603;

    private static final int MARK_BYTES = Integer.BYTES;

    /** The longest fragment, in bytes. */
    public static final int FRAGMENT_MAX = Integer.MAX_VALUE;

    /** The most fragments that the decoder accepts in one record. */
    public static final int FRAGMENTS_MAX = 4096;

    private RecordMarking() {}

    /**
     * Returns the bytes of a message as a record of one fragment, without copying the message.
     *
     * @throws IllegalArgumentException if the message is longer than a fragment can be
     */
    public static List<MemorySegment> encode(XdrWriter message) {
        var payload = PayloadStream.of(message);
        if (payload.length() > FRAGMENT_MAX) {
            throw new IllegalArgumentException("a message is longer than a record can be");
        }
        var mark = MemorySegment.ofArray(new byte[MARK_BYTES]);
        mark.set(UINT32, 0, LAST | (int) payload.length());
        var pieces = new ArrayList<MemorySegment>(payload.segments().size() + 1);
        pieces.add(mark);
        pieces.addAll(payload.segments());
        return pieces;
    }

    /** The result of decoding some bytes. */
    public sealed interface Step {
        /** All bytes were consumed, and the record is not complete. */
        record More() implements Step {}

        /**
         * A record is complete, and belongs to the caller.
         *
         * @param taken the number of bytes consumed; the others belong to the next record
         */
        record Complete(long taken, ReceivedRecord received) implements Step {}

        /**
         * The stream is invalid, so the caller must close the connection.
         *
         * @param isTooLong whether a higher limit would allow it
         */
        record Broken(String why, boolean isTooLong) implements Step {}
    }

    /**
     * Assembles records from the bytes of a stream, in portions of any size. An announced length
     * alone reserves at most 16 KiB. Memory for the whole announced length is leased only when that
     * many bytes have arrived.
     *
     * <p>Not thread-safe. Closing it releases the memory of an unfinished record.
     */
    public static final class Decoder implements AutoCloseable {
        /**
         * The most memory for a record that has only begun, in bytes. A record that fills it gets
         * memory for its announced length.
         */
        private static final long CAUTIOUS_BYTES = 16 << 10;

        private static final Step MORE = new Step.More();

        private final LongFunction<SegmentPool.Lease> memories;
        private final long recordMax;
        private SegmentPool.Lease memory;
        private long length;
        private int fragments;
        private int mark;
        private int markBytes;
        private boolean last;
        private long left;
        private Step.Broken broken;

        /**
         * Creates a decoder that leases memory from a pool.
         *
         * @param recordMax the longest record that the decoder accepts, in bytes
         */
        public Decoder(SegmentPool pool, long recordMax) {
            this(pool::lease, recordMax);
        }

        /**
         * Creates a decoder with a memory source other than a pool.
         *
         * @param memories leases memory for a number of bytes; if it throws, {@link #take} throws
         *     that exception, and the decoder can then only be closed
         * @param recordMax the longest record that the decoder accepts, in bytes
         */
        public Decoder(LongFunction<SegmentPool.Lease> memories, long recordMax) {
            this.memories = memories;
            this.recordMax = recordMax;
        }

        /** Returns the memory of the unfinished record, in bytes. */
        public long held() {
            return memory == null ? 0 : memory.whole().byteSize();
        }

        /** Returns whether a record has begun and is not complete. */
        public boolean inRecord() {
            return fragments > 0 || markBytes > 0;
        }

        /**
         * Consumes bytes up to the end of the record. The caller calls it again for the remaining
         * bytes.
         *
         * @param bytes the next bytes of the stream; the decoder does not use them after this
         *     method
         */
        public Step take(MemorySegment bytes) {
            if (broken != null) {
                return broken;
            }
            long end = bytes.byteSize();
            long at = 0;
            while (true) {
                while (markBytes < MARK_BYTES) {
                    if (at == end) {
                        return MORE;
                    }
                    mark = mark << Byte.SIZE | bytes.get(ValueLayout.JAVA_BYTE, at++) & 0xff;
                    markBytes++;
                    if (markBytes == MARK_BYTES && !startFragment()) {
                        close();
                        return broken;
                    }
                }
                long count = Math.min(left, end - at);
                append(bytes, at, count);
                at += count;
                if (left > 0) {
                    return MORE;
                }
                markBytes = 0;
                if (last) {
                    return new Step.Complete(at, finishRecord());
                }
            }
        }

        private boolean startFragment() {
            last = (mark & LAST) != 0;
            left = mark & ~LAST;
            fragments++;
            if (isTls()) {
                broken = new Step.Broken("it begins TLS, which is not spoken here", false);
            } else if (left > recordMax - length) {
                broken =
                        new Step.Broken(
                                "a record of at least "
                                        + (length + left)
                                        + " bytes is longer than the limit of "
                                        + recordMax
                                        + " bytes",
                                true);
            } else if (fragments > FRAGMENTS_MAX) {
                broken =
                        new Step.Broken(
                                "a record has more than " + FRAGMENTS_MAX + " fragments", false);
            }
            return broken == null;
        }

        /** Returns whether the mark is the start of a handshake of TLS, and of no record. */
        private boolean isTls() {
            return fragments == 1 && mark >>> Short.SIZE == TLS_HANDSHAKE && left > recordMax;
        }

        private void append(MemorySegment bytes, long from, long count) {
            if (count == 0) {
                return;
            }
            reserve(length + count);
            MemorySegment.copy(bytes, from, memory.whole(), length, count);
            length += count;
            left -= count;
        }

        private void reserve(long needed) {
            long capacity = memory == null ? 0 : memory.whole().byteSize();
            if (needed <= capacity) {
                return;
            }
            long expected = length + left;
            long wanted =
                    needed <= CAUTIOUS_BYTES
                            ? Math.min(expected, CAUTIOUS_BYTES)
                            : Math.min(recordMax, Math.max(expected, 2 * capacity));
            var larger = memories.apply(wanted);
            if (memory != null) {
                MemorySegment.copy(memory.whole(), 0, larger.whole(), 0, length);
                memory.close();
            }
            memory = larger;
        }

        private ReceivedRecord finishRecord() {
            if (memory == null) {
                memory = memories.apply(0);
            }
            var received = new ReceivedRecord(memory, memory.whole().asSlice(0, length));
            memory = null;
            length = 0;
            fragments = 0;
            return received;
        }

        @Override
        public void close() {
            if (memory != null) {
                memory.close();
                memory = null;
            }
        }
    }
}
