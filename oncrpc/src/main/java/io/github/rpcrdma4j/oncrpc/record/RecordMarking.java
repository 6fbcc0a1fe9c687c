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
 * Messages on a byte stream (RFC 5531, Section 11).
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
    private static final int MARK_BYTES = Integer.BYTES;

    /** The longest fragment, in bytes. */
    public static final int FRAGMENT_MAX = Integer.MAX_VALUE;

    /** The most fragments that a record may come in. */
    public static final int FRAGMENTS_MAX = 4096;

    private RecordMarking() {}

    /**
     * The bytes of a message as a record of one fragment, as the pieces they lie in.
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

    /** What the bytes that were taken led to. */
    public sealed interface Step {
        /** All bytes were taken; the record goes on. */
        record More() implements Step {}

        /**
         * A record is whole, and the caller's.
         *
         * @param taken how many bytes were taken; the others belong to the next record
         */
        record Complete(long taken, ReceivedRecord received) implements Step {}

        /** The stream is not to be read any further: close the connection. */
        record Broken(String why) implements Step {}
    }

    /**
     * Puts records together, whatever pieces the stream comes in. Memory grows with the bytes that
     * came, not with the lengths that were announced.
     *
     * <p>Not thread-safe. Close it to give the memory of an unfinished record back.
     */
    public static final class Decoder implements AutoCloseable {
        /** Memory for a record that has only begun; one that fills it is believed its length. */
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
         * @param recordMax the longest record that is taken, in bytes
         */
        public Decoder(SegmentPool pool, long recordMax) {
            this(pool::lease, recordMax);
        }

        /**
         * A decoder whose memory is had in another way.
         *
         * @param memories leases memory for so many bytes; what it throws is thrown by {@link
         *     #take}, and then the decoder is only to be closed
         * @param recordMax the longest record that is taken, in bytes
         */
        public Decoder(LongFunction<SegmentPool.Lease> memories, long recordMax) {
            this.memories = memories;
            this.recordMax = recordMax;
        }

        /** Memory that the unfinished record takes, in bytes. */
        public long held() {
            return memory == null ? 0 : memory.whole().byteSize();
        }

        /** Whether a record has begun and is not whole. */
        public boolean inRecord() {
            return fragments > 0 || markBytes > 0;
        }

        /**
         * Takes bytes up to the end of the record. Call it again for what is left of them.
         *
         * @param bytes the next bytes of the stream; not looked at any more afterwards
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
            if (left > recordMax - length) {
                broken = new Step.Broken("a record is longer than " + recordMax + " bytes");
            } else if (fragments > FRAGMENTS_MAX) {
                broken = new Step.Broken("a record has more than " + FRAGMENTS_MAX + " fragments");
            }
            return broken == null;
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
