package io.github.rpcrdma4j.xdr;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Writes XDR items in order (RFC 4506) into memory of a pool, and leases more as needed. It records
 * bulk items without copying them: their memory must not change until the transport is done with
 * it. A transport can reserve room for its header in front of the stream.
 *
 * <p>Not thread-safe. Closing it returns its memory to the pool.
 */
public final class XdrWriter implements AutoCloseable {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong UINT64 =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int ALIGNMENT = 4;
    private static final long INITIAL_BYTES = 1024;

    private final SegmentPool pool;
    private final int room;

    /** Shared and immutable while empty, since most messages have no bulk items. */
    private List<BulkItem> items = List.of();

    /** The number of bulk items so far, including absent ones. */
    private int ordinals;

    /** Where the operation whose results are being written starts in the call. */
    private long operation;

    private List<Runnable> releases = List.of();
    private SegmentPool.Lease lease;
    private MemorySegment memory;
    private long at;
    private long reduced;

    /** Where the last bulk item lies in the reduced stream, present or absent, in bytes. */
    private long lastBulkAt;

    /**
     * Creates an empty writer.
     *
     * @param pool leases the memory of the stream
     */
    public XdrWriter(SegmentPool pool) {
        this(pool, 0);
    }

    /**
     * Creates an empty writer with room in front of its stream.
     *
     * @param pool leases the memory of the stream
     * @param room the number of bytes that stay free in front of the stream
     * @throws IllegalArgumentException if the room is negative
     */
    public XdrWriter(SegmentPool pool, int room) {
        if (room < 0) {
            throw new IllegalArgumentException("room must not be negative: " + room);
        }
        this.pool = pool;
        this.room = room;
        this.lease = pool.lease(Math.max(room, INITIAL_BYTES));
        this.memory = lease.whole();
    }

    /** Returns the length of opaque data with its padding, in bytes. */
    public static long roundUp(long length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Returns where the next item starts in the unreduced stream (RFC 8166-3.4.5-1), in bytes. */
    public long position() {
        return at + reduced;
    }

    /** Writes 4 bytes. */
    public XdrWriter uint32(int value) {
        reserve(Integer.BYTES);
        memory.set(UINT32, room + at, value);
        at += Integer.BYTES;
        return this;
    }

    /** Writes 8 bytes. */
    public XdrWriter uint64(long value) {
        reserve(Long.BYTES);
        memory.set(UINT64, room + at, value);
        at += Long.BYTES;
        return this;
    }

    /** Writes a boolean, in 4 bytes. */
    public XdrWriter bool(boolean value) {
        return uint32(value ? 1 : 0);
    }

    /** Copies opaque data of a fixed length, which both sides know, and pads it. */
    public XdrWriter fixedOpaque(MemorySegment data) {
        long start = reservePadded(data.byteSize());
        MemorySegment.copy(data, 0, memory, start, data.byteSize());
        return this;
    }

    /** Copies opaque data of a fixed length, which both sides know, and pads it. */
    public XdrWriter fixedOpaque(byte[] data) {
        long start = reservePadded(data.length);
        MemorySegment.copy(data, 0, memory, ValueLayout.JAVA_BYTE, start, data.length);
        return this;
    }

    /** Reserves bytes and writes their zero padding; returns their offset in {@link #memory}. */
    private long reservePadded(long length) {
        long start = room + at;
        long padded = roundUp(length);
        reserve(padded);
        if (padded != length) {
            memory.set(UINT32, start + padded - Integer.BYTES, 0);
        }
        at += padded;
        return start;
    }

    /**
     * Copies a part of a stream that is encoded already, without padding. A gateway copies several
     * such parts one after the other, whose lengths together are a multiple of 4.
     */
    public XdrWriter encoded(MemorySegment part) {
        reserve(part.byteSize());
        MemorySegment.copy(part, 0, memory, room + at, part.byteSize());
        at += part.byteSize();
        return this;
    }

    /** Copies opaque data of a variable length, which never leaves the stream. */
    public XdrWriter opaque(MemorySegment data) {
        return uint32(lengthWord(data)).fixedOpaque(data);
    }

    /** Copies opaque data of a variable length, which never leaves the stream. */
    public XdrWriter opaque(byte[] data) {
        return uint32(data.length).fixedOpaque(data);
    }

    /** Writes a string in UTF-8. */
    public XdrWriter string(String value) {
        return opaque(value.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Adds a bulk item: opaque data of a variable length that the transport may place directly, all
     * but its length word (RFC 8166-3.4.4.1-1). The writer does not copy the data, which must not
     * change until the transport is done with it.
     */
    public XdrWriter bulk(MemorySegment data) {
        return uint32(lengthWord(data)).fixedBulk(data);
    }

    /**
     * Adds opaque data of a fixed length without copying it, as for {@link #bulk(MemorySegment)}. A
     * gateway adds whole arguments or results in this way, which no binding lets the transport
     * place directly.
     */
    public XdrWriter fixedBulk(MemorySegment data) {
        if (items.isEmpty()) {
            items = new ArrayList<>(1);
        }
        items.add(new BulkItem(position(), data, ordinals++, operation));
        lastBulkAt = at;
        reduced += roundUp(data.byteSize());
        return this;
    }

    /** Adds a bulk item with an action that runs once the transport is done with the data. */
    public XdrWriter bulk(MemorySegment data, Runnable release) {
        return whenDone(release).bulk(data);
    }

    /** Adds an action that runs once the transport is done with all data that is not copied. */
    public XdrWriter whenDone(Runnable release) {
        if (releases.isEmpty()) {
            releases = new ArrayList<>(1);
        }
        releases.add(release);
        return this;
    }

    /**
     * Begins the results of an operation, for programs whose calls are made of operations, as a
     * COMPOUND of NFS version 4 is. A requester may say for each operation where its bulk results
     * are to be placed.
     *
     * @param position where the operation starts in the unreduced call message, in bytes: {@link
     *     XdrReader#position} before it was read
     */
    public XdrWriter operation(long position) {
        operation = position;
        return this;
    }

    /** Records that a bulk item is absent here because its union takes another arm. */
    public XdrWriter absentBulk() {
        ordinals++;
        lastBulkAt = at;
        return this;
    }

    /** Returns the length of the reduced stream so far, in bytes. */
    public long reducedLength() {
        return at;
    }

    /**
     * Writes 4 bytes over earlier ones, such as a length or a count that was not known before.
     *
     * @param offset {@link #reducedLength} before the earlier bytes were written
     * @throws IllegalArgumentException if no 4 bytes were written there
     */
    public XdrWriter overwrite(long offset, int value) {
        if (offset < 0 || offset > at - Integer.BYTES) {
            throw new IllegalArgumentException("no word was written at " + offset);
        }
        memory.set(UINT32, room + offset, value);
        return this;
    }

    /**
     * Discards the last items of the stream, so that others can be written in their place.
     *
     * @param length {@link #reducedLength} before the first of them was written
     * @throws IllegalArgumentException if that is longer than the stream, or if a bulk item is
     *     among them
     */
    public XdrWriter shorten(long length) {
        if (length < lastBulkAt || length > at) {
            throw new IllegalArgumentException("the stream cannot end at " + length);
        }
        at = length;
        return this;
    }

    /** Discards all items, and runs the actions of {@link #bulk(MemorySegment, Runnable)}. */
    public void clear() {
        at = 0;
        reduced = 0;
        items = List.of();
        ordinals = 0;
        operation = 0;
        lastBulkAt = 0;
        release();
    }

    /**
     * Copies the data of all bulk items into the stream, at their positions. No bulk items are left
     * afterwards. Runs the actions of {@link #bulk(MemorySegment, Runnable)}.
     */
    public void inlineBulkItems() {
        inlineBulkItems(0);
        release();
    }

    /**
     * Copies the data of bulk items into the stream, except for the first {@code kept} items. Runs
     * no action of {@link #bulk(MemorySegment, Runnable)}.
     *
     * @param kept the number of items that stay apart
     */
    public void inlineBulkItems(int kept) {
        long apart = 0;
        for (int i = 0; i < kept; i++) {
            apart += items.get(i).paddedLength();
        }
        long taken = reduced - apart;
        reserve(taken);
        long before = reduced;
        long next = at;
        // From the last item to the first, so that no move overwrites bytes that are still to move.
        for (int i = items.size() - 1; i >= kept; i--) {
            var item = items.get(i);
            long bytes = item.data().byteSize();
            before -= item.paddedLength();
            long offset = item.position() - before;
            long start = room + item.position() - apart;
            long end = start + item.paddedLength();
            MemorySegment.copy(memory, room + offset, memory, end, next - offset);
            if (start + bytes != end) {
                memory.set(UINT32, end - Integer.BYTES, 0);
            }
            MemorySegment.copy(item.data(), 0, memory, start, bytes);
            next = offset;
        }
        at += taken;
        lastBulkAt = at;
        reduced = apart;
        if (kept == 0) {
            items = List.of();
        } else {
            items.subList(kept, items.size()).clear();
        }
    }

    /** Returns a view of the stream without its bulk data; the next write invalidates the view. */
    public MemorySegment reducedStream() {
        return memory.asSlice(room, at);
    }

    /** Returns all memory of the writer: the room in front, the stream, then unused bytes. */
    public MemorySegment memory() {
        return memory;
    }

    /** Returns the bulk items, in stream order. */
    public List<BulkItem> bulkItems() {
        return items.isEmpty() ? items : Collections.unmodifiableList(items);
    }

    /**
     * Returns the memory to the pool, and runs all actions of {@link #bulk(MemorySegment,
     * Runnable)}, even if one of them throws. Closing twice is harmless.
     */
    @Override
    public void close() {
        if (lease != null) {
            lease.close();
            lease = null;
            memory = MemorySegment.NULL;
            at = 0;
        }
        release();
    }

    private void release() {
        RuntimeException failure = null;
        while (!releases.isEmpty()) {
            try {
                releases.removeLast().run();
            } catch (RuntimeException one) {
                failure = one;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static int lengthWord(MemorySegment data) {
        if (data.byteSize() > 0xffff_ffffL) {
            throw new IllegalArgumentException("an XDR item holds at most 2^32-1 bytes");
        }
        return (int) data.byteSize();
    }

    private void reserve(long count) {
        if (memory.byteSize() - room - at >= count) {
            return;
        }
        if (lease == null) {
            throw new IllegalStateException("the writer is closed");
        }
        var larger = pool.lease(Math.max(room + at + count, 2 * memory.byteSize()));
        MemorySegment.copy(memory, room, larger.whole(), room, at);
        lease.close();
        lease = larger;
        memory = larger.whole();
    }
}
