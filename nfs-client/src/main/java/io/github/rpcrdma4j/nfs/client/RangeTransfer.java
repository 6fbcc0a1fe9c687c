package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves the stretches of one file, several at a time, each by as many calls as it takes. A few
 * threads share the work, so that one does what is to be done with the local file while another
 * takes what arrives; each keeps its part of the calls in flight.
 */
final class RangeTransfer {
    /** More threads than that would only wake each other. */
    private static final int THREADS_MAX = 2;

    /**
     * A part of a file.
     *
     * @param from where it starts, in bytes
     * @param length in bytes; at least 1
     */
    record FileRange(long from, long length) {}

    /**
     * Tells which stretches are to be moved, one after the other; asked by one thread at a time.
     */
    interface Source {
        /** The next stretch; null if there is none any more. */
        FileRange next() throws IOException;
    }

    /** Told how far a call came. */
    interface Moved {
        /**
         * @param count bytes that the call moved; at least 1
         */
        void moved(long count) throws IOException;
    }

    /** What is done with a stretch: the direction of a copy. Thread-safe. */
    interface Direction {
        /**
         * Prepares the memory of a stretch.
         *
         * @param bytes as long as the stretch
         * @return how much of it is moved, in bytes; the file ends before its rest
         */
        long begin(FileRange stretch, MemorySegment bytes) throws IOException;

        /**
         * Starts a call.
         *
         * @param offset in the file
         * @param bytes what is left of the stretch
         * @param moved told within {@link Nfs3Pipeline#poll}, after what is to be done with the
         *     results
         */
        void start(Nfs3Pipeline pipeline, long offset, MemorySegment bytes, Moved moved)
                throws RpcException;
    }

    private final Copier copier;
    private final Direction direction;

    /** Guarded by this. */
    private final Source source;

    private final long longest;

    /** Threads that have no part of the calls yet, and the calls; guarded by this. */
    private int threads;

    private int calls;

    /** Why the rest is not moved; guarded by this. */
    private IOException failure;

    private RangeTransfer(
            Copier copier, Source source, long longest, int calls, Direction direction) {
        this.copier = copier;
        this.source = source;
        this.longest = longest;
        this.calls = calls;
        this.threads = Math.min(THREADS_MAX, calls);
        this.direction = direction;
    }

    /** A part of a file in stretches of that length, the last perhaps shorter. */
    static Source of(long from, long end, int length) {
        return new Source() {
            private long at = from;

            @Override
            public FileRange next() {
                if (at >= end) {
                    return null;
                }
                var stretch = new FileRange(at, Math.min(length, end - at));
                at += stretch.length();
                return stretch;
            }
        };
    }

    /**
     * Moves stretches, in their order as far as several at a time have one, until none is left or
     * something failed.
     *
     * @param longest of them, in bytes; 0 if there is none
     * @param outstanding the most calls in flight
     */
    static void move(
            Copier copier, Source source, long longest, int outstanding, Direction direction)
            throws IOException, InterruptedException {
        if (longest > 0) {
            var stretches = new RangeTransfer(copier, source, longest, outstanding, direction);
            WorkerGroup.run(stretches.threads, stretches::work);
            stretches.requireMoved();
        }
    }

    /** How many calls in flight a part of a file has work for. */
    static int calls(long bytes, int length, int outstanding) {
        return Math.clamp(Math.ceilDiv(bytes, length), 1, outstanding);
    }

    private synchronized int share() {
        int own = Math.ceilDiv(calls, threads--);
        calls -= own;
        return own;
    }

    private synchronized FileRange take() throws IOException {
        return failure == null ? source.next() : null;
    }

    private synchronized boolean goesOn() {
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
        try (var pipeline = copier.client().pipeline()) {
            try {
                for (int i = share(); i > 0; i--) {
                    var lease = lease(leases.isEmpty());
                    if (lease == null) {
                        break;
                    }
                    leases.add(lease);
                    new Lane(pipeline, lease.whole()).next();
                }
            } catch (RpcException ofConnection) {
                throw ofConnection;
            } catch (IOException ofFile) {
                stop(ofFile);
            }
            moveAll(pipeline);
        } finally {
            // Only now the transport does not reach them any more.
            leases.forEach(SegmentPool.Lease::close);
        }
    }

    /**
     * Memory for a lane; null if there is none but one lane has some.
     *
     * @param first whether this is for the first lane
     */
    private SegmentPool.Lease lease(boolean first) throws IOException {
        try {
            return copier.pool().lease(longest);
        } catch (BudgetExhaustedException none) {
            if (first) {
                throw new IOException("no memory is left for a copy: " + none.getMessage(), none);
            }
            return null;
        }
    }

    /**
     * Moves what lanes have begun. After a failure the calls in flight are waited for: to give them
     * up would cost the connection, which other copies share.
     */
    private void moveAll(Nfs3Pipeline pipeline) throws IOException, InterruptedException {
        boolean inFlight = true;
        while (inFlight) {
            try {
                inFlight = pipeline.poll();
            } catch (RpcException ofConnection) {
                throw ofConnection;
            } catch (IOException ofFile) {
                stop(ofFile);
            }
        }
    }

    /** One call after the other, with memory of their own. */
    private final class Lane {
        private final Nfs3Pipeline pipeline;
        private final MemorySegment memory;
        private FileRange stretch;
        private long done;

        Lane(Nfs3Pipeline pipeline, MemorySegment memory) {
            this.pipeline = pipeline;
            this.memory = memory;
        }

        /** Begins with the next stretch, if there is one. */
        void next() throws IOException {
            for (stretch = take(); stretch != null; stretch = take()) {
                long length = direction.begin(stretch, memory.asSlice(0, stretch.length));
                if (length > 0) {
                    stretch = new FileRange(stretch.from, length);
                    done = 0;
                    start();
                    return;
                }
            }
        }

        private void start() throws RpcException {
            var bytes = memory.asSlice(done, stretch.length - done);
            direction.start(pipeline, stretch.from + done, bytes, this::moved);
        }

        private void moved(long count) throws IOException {
            done += count;
            if (done < stretch.length && goesOn()) {
                start();
            } else {
                next();
            }
        }
    }
}
