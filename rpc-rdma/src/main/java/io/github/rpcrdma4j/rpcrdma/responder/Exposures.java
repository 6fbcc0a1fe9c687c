package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;

/**
 * The replies of one connection whose data the requester fetches, until it says that it has (RFC
 * 5666-3.4-5). What a requester costs that never says so is bounded in number, octets and time (RFC
 * 5666-11-4). Guarded by the lock of the connection; times are arguments, in nanoseconds of any
 * origin.
 */
final class Exposures {
    /** One of them. */
    final class Exposure {
        private final int xid;
        private final List<MemoryRegion> regions;
        private final long bytes;
        private final Runnable release;
        private ExposureState state = ExposureState.ANNOUNCING;
        private boolean seen;
        private long since;

        private Exposure(int xid, List<MemoryRegion> regions, Runnable release) {
            this.xid = xid;
            this.regions = List.copyOf(regions);
            this.bytes = regions.stream().mapToLong(MemoryRegion::length).sum();
            this.release = release;
        }

        /** Its reply has left. */
        void sent() {
            act(this, ExposureState.Event.SENT);
        }

        private boolean isOwed() {
            return switch (state) {
                case ANNOUNCING, EXPOSED -> true;
                case SETTLED, FINISHED -> false;
            };
        }
    }

    private final int repliesMax;
    private final long bytesMax;
    private final long timeoutNanos;
    private final Runnable close;
    private final List<Exposure> exposures = new ArrayList<>();
    private long bytes;

    /**
     * @param repliesMax the most replies at a time
     * @param bytesMax the octets from which on nothing more is exposed
     * @param timeoutNanos how long a requester has for its RDMA_DONE
     * @param close closes the connection
     */
    Exposures(int repliesMax, long bytesMax, long timeoutNanos, Runnable close) {
        this.repliesMax = repliesMax;
        this.bytesMax = bytesMax;
        this.timeoutNanos = timeoutNanos;
        this.close = close;
    }

    /** Whether one more may be exposed, of whatever size. */
    boolean hasRoom() {
        return exposures.size() < repliesMax && bytes < bytesMax;
    }

    /** How many RDMA_DONE are to come. */
    int owed() {
        int owed = 0;
        for (var exposure : exposures) {
            owed += exposure.isOwed() ? 1 : 0;
        }
        return owed;
    }

    /** Octets that are held. */
    long bytes() {
        return bytes;
    }

    /**
     * What may be granted, so that a receive stands for every RDMA_DONE too (RFC 5666-3.3-3,
     * 5666-3.8-6, 5666-11-5). It is never nothing (RFC 5666-11-6).
     *
     * @param credits where none is owed
     */
    int grant(int credits) {
        return Math.max(1, credits - owed());
    }

    /**
     * Keeps what a reply exposes, from the time when it is about to be sent.
     *
     * @param regions what the requester may fetch
     * @param release gives the memory back
     */
    Exposure expose(int xid, List<MemoryRegion> regions, Runnable release) {
        var exposure = new Exposure(xid, regions, release);
        exposures.add(exposure);
        bytes += exposure.bytes;
        return exposure;
    }

    /**
     * The requester has fetched what the reply to that call exposed.
     *
     * @return false if there is nothing of that call
     */
    boolean done(int xid) {
        for (var exposure : exposures) {
            if (exposure.xid == xid && exposure.isOwed()) {
                act(exposure, ExposureState.Event.DONE);
                return true;
            }
        }
        return false;
    }

    /**
     * Looks after requesters that say nothing. The time of an exposure counts from the first look
     * at it.
     *
     * @return whether one took too long, which closes the connection
     */
    boolean expire(long now) {
        for (var exposure : List.copyOf(exposures)) {
            if (!exposure.seen) {
                exposure.seen = true;
                exposure.since = now;
            } else if (exposure.isOwed() && now - exposure.since >= timeoutNanos) {
                act(exposure, ExposureState.Event.EXPIRED);
                return true;
            }
        }
        return false;
    }

    /** The connection is gone. */
    void lost() {
        List.copyOf(exposures).forEach(each -> act(each, ExposureState.Event.LOST));
    }

    private void act(Exposure exposure, ExposureState.Event event) {
        var step = exposure.state.on(event);
        exposure.state = step.next();
        for (var action : step.actions()) {
            switch (action) {
                case FENCE -> exposure.regions.forEach(MemoryRegion::invalidate);
                case RELEASE -> {
                    exposures.remove(exposure);
                    bytes -= exposure.bytes;
                    exposure.release.run();
                }
                case CLOSE -> close.run();
            }
        }
    }
}
