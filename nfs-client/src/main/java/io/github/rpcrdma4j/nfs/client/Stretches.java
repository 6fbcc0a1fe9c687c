package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves the stretches of one file, several at a time, each by as many calls as it takes. A few
 * threads share the work, so that one does what is to be done with the local file while another
 * takes what arrives; each keeps its part of the calls in flight.
 */
final class Stretches {
    /** More threads than that would only wake each other. */
    private static final int THREADS_MAX = 2;

    /**
     * A part of a file.
     *
     * @param from where it starts, in octets
     * @param length in octets; at least 1
     */
    record Stretch(long from, long length) {}

    /** Told how far a call came. */
    interface Moved {
        /**
         * @param count octets that the call moved; at least 1
         */
        void moved(long count) throws IOException;
    }

    /** What is done with a stretch: the direction of a copy. Thread-safe. */
    interface Direction {
        /**
         * Prepares the memory of a stretch.
         *
         * @param octets as long as the stretch
         */
        void begin(Stretch stretch, MemorySegment octets) throws IOException;

        /**
         * Starts a call.
         *
         * @param offset in the file
         * @param octets what is left of the stretch
         * @param moved told within {@link Nfs3Flight#progress}, after what is to be done with the
         *     results
         */
        void start(Nfs3Flight flight, long offset, MemorySegment octets, Moved moved)
                throws RpcException;
    }

    private final Nfs3Client client;
    private final SegmentPool pool;
    private final Direction direction;

    /** Guarded by this. */
    private final ArrayDeque<Stretch> left;

    private final long longest;

    /** Threads that have no part of the calls yet, and the calls; guarded by this. */
    private int threads;

    private int calls;

    private Stretches(
            Nfs3Client client,
            SegmentPool pool,
            ArrayDeque<Stretch> left,
            long longest,
            int calls,
            Direction direction) {
        this.client = client;
        this.pool = pool;
        this.left = left;
        this.longest = longest;
        this.calls = calls;
        this.threads = Math.min(THREADS_MAX, calls);
        this.direction = direction;
    }

    /** A whole file in stretches of that length, the last perhaps shorter. */
    static ArrayDeque<Stretch> of(long size, int length) {
        var all = new ArrayDeque<Stretch>();
        for (long from = 0; from < size; from += length) {
            all.addLast(new Stretch(from, Math.min(length, size - from)));
        }
        return all;
    }

    /**
     * Moves stretches, in their order as far as several at a time have one, until none is left or
     * something failed.
     *
     * @param all is emptied
     * @param outstanding the most calls in flight
     */
    static void move(
            Nfs3Client client,
            SegmentPool pool,
            ArrayDeque<Stretch> all,
            int outstanding,
            Direction direction)
            throws IOException, InterruptedException {
        if (all.isEmpty()) {
            return;
        }
        long longest = all.stream().mapToLong(Stretch::length).max().orElseThrow();
        int calls = Math.min(outstanding, all.size());
        var stretches = new Stretches(client, pool, all, longest, calls, direction);
        Fleet.run(stretches.threads, stretches::work);
    }

    private synchronized int share() {
        int own = Math.ceilDiv(calls, threads--);
        calls -= own;
        return own;
    }

    private synchronized Stretch take() {
        return left.pollFirst();
    }

    private void work() throws IOException, InterruptedException {
        List<SegmentPool.Lease> leases = new ArrayList<>();
        try (var flight = client.flight()) {
            for (int i = share(); i > 0; i--) {
                var lease = pool.lease(longest);
                leases.add(lease);
                new Lane(flight, lease.whole()).next();
            }
            while (flight.progress()) {
                // Lanes are told, and go on.
            }
        } finally {
            // Only now nobody can reach them any more.
            leases.forEach(SegmentPool.Lease::close);
        }
    }

    /** One call after the other, with memory of their own. */
    private final class Lane {
        private final Nfs3Flight flight;
        private final MemorySegment memory;
        private Stretch stretch;
        private long done;

        Lane(Nfs3Flight flight, MemorySegment memory) {
            this.flight = flight;
            this.memory = memory;
        }

        /** Begins with the next stretch, if there is one. */
        void next() throws IOException {
            stretch = take();
            if (stretch != null) {
                done = 0;
                direction.begin(stretch, memory.asSlice(0, stretch.length));
                start();
            }
        }

        private void start() throws RpcException {
            var octets = memory.asSlice(done, stretch.length - done);
            direction.start(flight, stretch.from + done, octets, this::moved);
        }

        private void moved(long count) throws IOException {
            done += count;
            if (done < stretch.length) {
                start();
            } else {
                next();
            }
        }
    }
}
