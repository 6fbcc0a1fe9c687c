package io.github.rpcrdma4j.iwarp.ddp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Where the payload of a segment goes, and how far it is filled. One object serves one segment
 * after the other. Guarded by the receive lock of its queue pair.
 */
public final class PlacementTarget {
    private MemorySegment memory = MemorySegment.NULL;
    private long from;
    private int length;
    private int done;

    /** A view of {@link #viewed}, kept for segments that go to the same memory. */
    private ByteBuffer view;

    private MemorySegment viewed;

    /** Nothing is expected. */
    public PlacementTarget() {}

    /** From now on there is a segment for which nothing is expected. */
    public void setNothing() {
        set(MemorySegment.NULL, 0, 0);
    }

    /** From now on there is a segment whose payload goes to {@code memory}, from there on. */
    public void set(MemorySegment target, long start, int bytes) {
        memory = target;
        from = start;
        length = bytes;
        done = 0;
    }

    /** The payload of the segment, in bytes. */
    public int length() {
        return length;
    }

    /** Bytes that have not come. */
    public int left() {
        return length - done;
    }

    /** Copies bytes that have come. */
    public void put(MemorySegment bytes, long at, int count) {
        MemorySegment.copy(bytes, at, memory, from + done, count);
        done += count;
    }

    /**
     * The bytes that have not come, for a channel to read into; {@link #filled} takes note of what
     * it did. Good until the next call.
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

    /** So many bytes were read into the {@link #room}. */
    public void filled(int count) {
        done += count;
    }
}
