package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** One connection to a service. */
public interface Session extends AutoCloseable {
    /** A prepared call. It can be made many times, each time waiting for its reply. */
    interface Call {
        void make() throws Exception;
    }

    /**
     * Prepares calls of one kind.
     *
     * @param memory the source or the target of the payload, as long as the work needs; only the
     *     call uses it while it is in progress
     */
    Call call(Work work, MemorySegment memory);

    /** Keeps as many calls outstanding as the meter has slots, until its round is over. */
    default void run(Work work, Meter meter, SlotMemory memory) throws Exception {
        CallLoops.run(meter, slot -> call(work, memory.of(slot, work.length())));
    }

    @Override
    void close() throws IOException;
}
