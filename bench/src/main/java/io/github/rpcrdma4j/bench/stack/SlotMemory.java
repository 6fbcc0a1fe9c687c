package io.github.rpcrdma4j.bench.stack;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory for calls in flight, each its own, and for all works and connections the same. */
public final class SlotMemory {
    private static final long ALIGNMENT = 4096;

    private final List<MemorySegment> slots = new ArrayList<>();

    /** Memory of that slot, so many bytes of it. */
    public synchronized MemorySegment of(int slot, int length) {
        while (slots.size() <= slot) {
            slots.add(MemorySegment.NULL);
        }
        if (slots.get(slot).byteSize() < length) {
            slots.set(slot, Arena.ofAuto().allocate(length, ALIGNMENT));
        }
        return slots.get(slot).asSlice(0, length);
    }
}
