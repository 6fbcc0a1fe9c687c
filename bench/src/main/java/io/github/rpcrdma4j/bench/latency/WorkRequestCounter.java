package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.sim.SimTap;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work requests and registrations of one end. Thread-safe. */
final class WorkRequestCounter implements SimTap {
    /** The counts up to a moment, or between two moments. */
    record Counts(long sends, long writes, long reads, long registrations) {
        Counts since(Counts earlier) {
            return new Counts(
                    sends - earlier.sends,
                    writes - earlier.writes,
                    reads - earlier.reads,
                    registrations - earlier.registrations);
        }
    }

    private final LongAdder sends = new LongAdder();
    private final LongAdder writes = new LongAdder();
    private final LongAdder reads = new LongAdder();
    private final LongAdder registrations = new LongAdder();

    @Override
    public void bound() {
        registrations.increment();
    }

    @Override
    public void posted(WorkRequest request) {
        switch (request) {
            case WorkRequest.Send _ -> sends.increment();
            case WorkRequest.Write _ -> writes.increment();
            case WorkRequest.Read _ -> reads.increment();
            case WorkRequest.Invalidate _ -> {}
        }
    }

    Counts counts() {
        return new Counts(sends.sum(), writes.sum(), reads.sum(), registrations.sum());
    }
}
