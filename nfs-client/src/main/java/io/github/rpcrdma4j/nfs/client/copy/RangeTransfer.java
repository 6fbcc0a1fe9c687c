package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves the ranges of one file with several outstanding calls; one range may take several calls. Up
 * to two threads share the calls, so that one thread works on the local file while the other
 * processes replies, if there are processors for that.
 *
 * <p>Tests: {@code CopiesTest}, {@code TreesTest}.
 */
final class RangeTransfer {
    /**
     * More threads would only wake each other. On two processors a second one only takes time from
     * the kernel and the transport: a get of 1 GB took a tenth longer with it.
     */
    private static final int THREADS_MAX =
            Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 1, 2);

    /**
     * The memory of all outstanding calls, in bytes. With twice as much, a get of 1 GB took a tenth
     * longer: the bytes are not in the processor's cache any more when they are written.
     */
    private static final int WINDOW_BYTES = 4 << 20;

    /**
     * A range of a file.
     *
     * @param from its start, in bytes
     * @param length in bytes; at least 1
     */
    record FileRange(long from, long length) {}

    /** Supplies the ranges to move, one after the other. One thread at a time calls it. */
    interface Source {
        /** Returns the next range, or null after the last. */
        FileRange next() throws IOException;
    }

    /** Receives the progress of a call. */
    interface ProgressListener {
        /**
         * Reports that a call moved bytes.
         *
         * @param count number of bytes; at least 1
         */
        void moved(long count) throws IOException;
    }

    /** Moves ranges in one direction: from the server or to it. Thread-safe. */
    interface Direction {
        /**
         * Prepares the memory of a range. There is nothing to do if the server fills it.
         *
         * @param bytes as long as the range
         * @return the number of bytes to move; fewer than the range if the file ends in it
         */
        default long begin(FileRange range, MemorySegment bytes) throws IOException {
            return range.length();
        }

        /**
         * Starts a call.
         *
         * @param offset in the file, in bytes
         * @param bytes the unmoved rest of the range
         * @param progress invoked within {@link FilePipeline#poll}, after the results were
         *     processed
         */
        void start(
                FilePipeline pipeline, long offset, MemorySegment bytes, ProgressListener progress)
                throws RpcException;
    }

    private final CopyContext context;
    private final Direction direction;

    /** Guarded by this. */
    private final Source source;

    private final long longest;

    /** Threads that have not taken their share of the calls yet; guarded by this. */
    private int threads;

    /** Calls that no thread has taken yet; guarded by this. */
    private int calls;

    /** The first failure; no range is moved after it. Guarded by this. */
    private IOException failure;

    private RangeTransfer(
            CopyContext context, Source source, long longest, int calls, Direction direction) {
        this.context = context;
        this.source = source;
        this.longest = longest;
        this.calls = calls;
        this.threads = Math.min(THREADS_MAX, calls);
        this.direction = direction;
    }

    /** Divides the bytes of a file into ranges of equal length; the last may be shorter. */
    static Source of(long from, long end, int length) {
        return new Source() {
            private long at = from;

            @Override
            public FileRange next() {
                if (at >= end) {
                    return null;
                }
                var range = new FileRange(at, Math.min(length, end - at));
                at += range.length();
                return range;
            }
        };
    }

    /**
     * Moves ranges until none is left or a call failed. They start in the order of the source.
     *
     * @param longest length of the longest range, in bytes; 0 if there is no range
     * @param outstanding the most outstanding calls
     */
    static void move(
            CopyContext context, Source source, long longest, int outstanding, Direction direction)
            throws IOException, InterruptedException {
        if (longest > 0) {
            var transfer = new RangeTransfer(context, source, longest, outstanding, direction);
            WorkerGroup.run(transfer.threads, transfer::work);
            transfer.requireMoved();
        }
    }

    /**
     * Returns how many outstanding calls the given number of bytes can use.
     *
     * @param length of each call, in bytes
     * @param outstanding the most
     */
    static int calls(long bytes, int length, int outstanding) {
        int most = Math.clamp(WINDOW_BYTES / length, 1, outstanding);
        return Math.clamp(Math.ceilDiv(bytes, length), 1, most);
    }

    private synchronized int share() {
        int own = Math.ceilDiv(calls, threads--);
        calls -= own;
        return own;
    }

    private synchronized FileRange take() throws IOException {
        return failure == null ? source.next() : null;
    }

    private synchronized boolean mayContinue() {
        return failure == null;
    }

    private synchronized void stop(IOException why) {
        if (failure == null) {
            failure = why;
        }
    }

    private synchronized void requireMoved() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    private void work() throws IOException, InterruptedException {
        List<SegmentPool.Lease> leases = new ArrayList<>();
        try (var pipeline = context.service().pipeline()) {
            try {
                for (int i = share(); i > 0; i--) {
                    var lease = lease(leases.isEmpty());
                    if (lease == null) {
                        break;
                    }
                    leases.add(lease);
                    new Slot(pipeline, lease.whole()).next();
                }
            } catch (RpcException ofConnection) {
                throw ofConnection;
            } catch (IOException ofFile) {
                stop(ofFile);
            }
            moveAll(pipeline);
        } finally {
            // Only after the pipeline is closed can the transport no longer reach the memory.
            leases.forEach(SegmentPool.Lease::close);
        }
    }

    /**
     * Leases the memory of a slot; returns null if none is left but another slot has some.
     *
     * @param first whether this is for the first slot
     */
    private SegmentPool.Lease lease(boolean first) throws IOException {
        try {
            return context.pool().lease(longest);
        } catch (BudgetExhaustedException none) {
            if (first) {
                throw new IOException("no memory is left for a copy: " + none.getMessage(), none);
            }
            return null;
        }
    }

    /**
     * Moves the ranges that slots have started. After a failure it still waits for the outstanding
     * calls: to cancel them would cost the connection, which other copies share.
     */
    private void moveAll(FilePipeline pipeline) throws IOException, InterruptedException {
        boolean callsLeft = true;
        while (callsLeft) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try {
                callsLeft = pipeline.poll();
            } catch (RpcException ofConnection) {
                throw ofConnection;
            } catch (IOException ofFile) {
                stop(ofFile);
            }
        }
    }

    /** A sequence of calls that reuse one memory segment: each starts after the previous reply. */
    private final class Slot {
        private final FilePipeline pipeline;
        private final MemorySegment memory;
        private FileRange range;
        private long done;

        Slot(FilePipeline pipeline, MemorySegment memory) {
            this.pipeline = pipeline;
            this.memory = memory;
        }

        /** Starts the next range, if there is one. */
        void next() throws IOException {
            for (range = take(); range != null; range = take()) {
                context.rate().take(range.length);
                long length = direction.begin(range, memory.asSlice(0, range.length));
                if (length > 0) {
                    range = new FileRange(range.from, length);
                    done = 0;
                    start();
                    return;
                }
            }
        }

        private void start() throws RpcException {
            var bytes = memory.asSlice(done, range.length - done);
            direction.start(pipeline, range.from + done, bytes, this::moved);
        }

        private void moved(long count) throws IOException {
            done += count;
            if (done < range.length && mayContinue()) {
                start();
            } else {
                next();
            }
        }
    }
}
