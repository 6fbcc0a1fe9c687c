package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** One connection to a service. */
public interface Session extends AutoCloseable {
    /** A call that is made, and waited for, as often as it is run. */
    interface Call {
        void make() throws Exception;
    }

    /**
     * Prepares calls of one kind.
     *
     * @param memory where the payload comes from or lands, as long as the work wants it; while the
     *     call is made it is its alone
     */
    Call call(Work work, MemorySegment memory);

    /** Keeps so many calls in flight as the meter has slots, until it says that it is enough. */
    default void run(Work work, Meter meter, SlotMemory memory) throws Exception {
        Lanes.run(meter, slot -> call(work, memory.of(slot, work.length())));
    }

    @Override
    void close() throws IOException;
}
