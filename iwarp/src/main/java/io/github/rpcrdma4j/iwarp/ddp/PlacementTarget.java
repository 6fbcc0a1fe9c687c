package io.github.rpcrdma4j.iwarp.ddp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The memory for the payload of one segment, and how much of it is filled. The object is reused for
 * every segment. Guarded by the receive lock of its queue pair.
 */
public final class PlacementTarget {
    private MemorySegment memory = MemorySegment.NULL;
    private long from;
    private int length;
    private int done;

    /** A view of {@link #viewed}, reused for successive segments that go to that memory. */
    private ByteBuffer view;

    private MemorySegment viewed;

    /** Makes a target that expects no bytes. */
    public PlacementTarget() {}

    /** Starts a segment that expects no payload. */
    public void setNothing() {
        set(MemorySegment.NULL, 0, 0);
    }

    /**
     * Starts a segment whose payload of {@code bytes} bytes goes to {@code target}, from offset
     * {@code start} on.
     */
    public void set(MemorySegment target, long start, int bytes) {
        memory = target;
        from = start;
        length = bytes;
        done = 0;
    }

    /** Returns the length of the segment's payload, in bytes. */
    public int length() {
        return length;
    }

    /** Returns how many payload bytes have not arrived yet. */
    public int left() {
        return length - done;
    }

    /** Copies {@code count} arrived payload bytes into the target. */
    public void put(MemorySegment bytes, long at, int count) {
        MemorySegment.copy(bytes, at, memory, from + done, count);
        done += count;
    }

    /**
     * Returns the memory for the bytes that have not arrived, as a buffer for a channel to read
     * into. The caller reports the bytes read with {@link #filled}. The buffer is valid until the
     * next call.
     */
    public ByteBuffer room() {
        if (memory.byteSize() > Integer.MAX_VALUE) {
            return memory.asSlice(from + done, left()).asByteBuffer();
        }
        if (viewed != memory) {
            view = memory.asByteBuffer();
            viewed = memory;
        }
        return view.limit((int) from + length).position((int) from + done);
    }

    /** Records that a channel read {@code count} bytes into the {@link #room}. */
    public void filled(int count) {
        done += count;
    }
}
