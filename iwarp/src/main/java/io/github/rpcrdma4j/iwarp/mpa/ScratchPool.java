package io.github.rpcrdma4j.iwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A pool of buffers that connections use only while they read or write. Idle connections hold no
 * buffer, and busy connections share buffers that are in the processor's cache. Thread-safe.
 */
public final class ScratchPool {
    /** The size of each buffer, in bytes. */
    public static final int BYTES = 32 << 10;

    private static final int SPARE_MAX = 64;

    /** One buffer, owned by the code that took it. */
    public static final class Scratch {
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
        private final MemorySegment memory = MemorySegment.ofBuffer(bytes);
        private final ByteBuffer view = bytes.duplicate();
        private final List<ByteBuffer> runs = new ArrayList<>();

        private Scratch() {}

        public ByteBuffer bytes() {
            return bytes;
        }

        /** Returns all bytes of the buffer. */
        public MemorySegment memory() {
            return memory;
        }

        /** Returns a second view of the buffer, with its own position and limit. */
        public ByteBuffer view() {
            return view;
        }

        /** Returns a further view of the buffer, for one run of its bytes; made on first use. */
        public ByteBuffer run(int index) {
            while (index >= runs.size()) {
                runs.add(bytes.duplicate());
            }
            return runs.get(index);
        }
    }

    /** Guarded by itself. */
    private final ArrayDeque<Scratch> spare = new ArrayDeque<>();

    /** Makes an empty pool. */
    public ScratchPool() {}

    /** Takes a buffer with arbitrary content, cleared for writing. */
    public Scratch take() {
        Scratch scratch;
        synchronized (spare) {
            scratch = spare.pollLast();
        }
        if (scratch == null) {
            return new Scratch();
        }
        scratch.bytes.clear();
        return scratch;
    }

    public void giveBack(Scratch scratch) {
        synchronized (spare) {
            if (spare.size() < SPARE_MAX) {
                spare.addLast(scratch);
            }
        }
    }
}
