package io.github.rpcrdma4j.bench.stack;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The memory of outstanding calls, separate for each slot. All works and connections share it. */
public final class SlotMemory {
    private static final long ALIGNMENT = 4096;

    private final List<MemorySegment> slots = new ArrayList<>();

    /** Returns {@code length} bytes of a slot's memory. */
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
