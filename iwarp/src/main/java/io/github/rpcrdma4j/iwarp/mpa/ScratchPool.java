package io.github.rpcrdma4j.iwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory that a connection needs while it reads or writes, and not between: so idle connections
 * have none, and busy ones share what is in the cache. Thread-safe.
 */
public final class ScratchPool {
    /** The size of each, in bytes. */
    public static final int BYTES = 32 << 10;

    private static final int SPARE_MAX = 64;

    /** One piece of it, owned by the code that took it. */
    public static final class Scratch {
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
        private final MemorySegment memory = MemorySegment.ofBuffer(bytes);
        private final ByteBuffer view = bytes.duplicate();
        private final List<ByteBuffer> runs = new ArrayList<>();

        private Scratch() {}

        public ByteBuffer bytes() {
            return bytes;
        }

        /** All of the bytes. */
        public MemorySegment memory() {
            return memory;
        }

        /** A second view of them. */
        public ByteBuffer view() {
            return view;
        }

        /** A further view, for a run of them; made when it is first needed. */
        public ByteBuffer run(int index) {
            while (index >= runs.size()) {
                runs.add(bytes.duplicate());
            }
            return runs.get(index);
        }
    }

    /** Guarded by itself. */
    private final ArrayDeque<Scratch> spare = new ArrayDeque<>();

    /** Has none. */
    public ScratchPool() {}

    /** One with whatever content, cleared for writing. */
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
