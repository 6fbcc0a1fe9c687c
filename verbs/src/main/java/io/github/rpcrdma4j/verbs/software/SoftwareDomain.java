package io.github.rpcrdma4j.verbs.software;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * A protection domain as a table from handle to region. Looking up, registering and invalidating
 * cost the same for one region as for a hundred thousand.
 *
 * <p>A handle is found in its own domain and nowhere else (RFC 8166-8.1.1-1, 5666-11-3,
 * 5041-8.2-1).
 */
public final class SoftwareDomain implements ProtectionDomain {
    /** The most regions of one domain: a bound on what a leak can cost. */
    public static final int REGIONS_MAX = 1 << 20;

    private static final int DEAD_REMEMBERED = 1024;
    private static final int DRAWN_BYTES = 1200;

    private final ConcurrentHashMap<Integer, SoftwareRegion> regions = new ConcurrentHashMap<>();
    private final RandomGenerator random;

    /** What was drawn and not used: a secure source gives many octets in the time of few. */
    private final ByteBuffer drawn = ByteBuffer.allocate(DRAWN_BYTES).limit(0);

    /** The newest handles that died, in a ring. */
    private final int[] dead = new int[DEAD_REMEMBERED];

    private int deaths;
    private volatile boolean closed;

    /**
     * @param random where handles and addresses come from; a secure one wherever a peer can be
     *     hostile
     */
    public SoftwareDomain(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public SoftwareRegion register(MemorySegment memory, Set<Access> access) {
        requireShareable(memory);
        if (closed) {
            throw new IllegalStateException("the protection domain is closed");
        }
        if (regions.size() >= REGIONS_MAX) {
            throw new IllegalStateException("the protection domain is full");
        }
        while (true) {
            // A peer can neither guess a handle nor know it from an earlier registration (RFC
            // 8166-8.1.2-1). The address leaves room for the region, so that no sum in it wraps.
            var region = draw(memory, access);
            if (regions.putIfAbsent(region.handle(), region) == null) {
                return region;
            }
        }
    }

    private SoftwareRegion draw(MemorySegment memory, Set<Access> access) {
        synchronized (drawn) {
            if (drawn.remaining() < Long.BYTES + Integer.BYTES) {
                random.nextBytes(drawn.array());
                drawn.clear();
            }
            long address = drawn.getLong() & Long.MAX_VALUE;
            return new SoftwareRegion(this, drawn.getInt(), address, memory, access);
        }
    }

    /** The valid region of that handle, or null. */
    public SoftwareRegion find(int handle) {
        return regions.get(handle);
    }

    @Override
    public int registeredRegions() {
        return regions.size();
    }

    @Override
    public void close() {
        closed = true;
        regions.values().forEach(SoftwareRegion::invalidate);
    }

    /**
     * Whether a handle died not long ago. A peer may invalidate a handle that this side has just
     * invalidated by itself; that is no fault.
     */
    public synchronized boolean hadRecently(int handle) {
        for (int i = 0; i < Math.min(deaths, DEAD_REMEMBERED); i++) {
            if (dead[i] == handle) {
                return true;
            }
        }
        return false;
    }

    void forget(SoftwareRegion region) {
        regions.remove(region.handle(), region);
        synchronized (this) {
            dead[deaths % DEAD_REMEMBERED] = region.handle();
            // The count only tells how much of the ring is filled, and where it goes on.
            deaths = deaths + 1 == 2 * DEAD_REMEMBERED ? DEAD_REMEMBERED : deaths + 1;
        }
    }

    /**
     * Refuses work whose own memory is not fit for it.
     *
     * @throws IllegalArgumentException if a piece of it is on the heap or confined to a thread, or
     *     a Read exceeds its sink, or its sink is not one of this domain's for local writing
     */
    public void requireSound(WorkRequest request) {
        switch (request) {
            case WorkRequest.Send send -> send.gather().forEach(SoftwareDomain::requireShareable);
            case WorkRequest.Write write ->
                    write.gather().forEach(SoftwareDomain::requireShareable);
            case WorkRequest.Read read -> {
                long length = Integer.toUnsignedLong(read.length());
                if (read.sinkOffset() < 0 || read.sinkOffset() > read.sink().length() - length) {
                    throw new IllegalArgumentException("an RDMA Read exceeds its sink");
                }
                // RFC 5040-5.2.1-3.
                if (!(read.sink() instanceof SoftwareRegion sink)
                        || !sink.belongsTo(this)
                        || !sink.allows(Access.LOCAL_WRITE)) {
                    throw new IllegalArgumentException(
                            "the sink of an RDMA Read must be a region of the queue pair's domain"
                                    + " with LOCAL_WRITE");
                }
            }
        }
    }

    /**
     * Refuses memory that the polling thread could not touch.
     *
     * @throws IllegalArgumentException if it is on the heap or confined to a thread
     */
    public static void requireShareable(MemorySegment memory) {
        if (!ProtectionDomain.canRegister(memory)) {
            throw new IllegalArgumentException(
                    "memory for RDMA must be native and not confined to a thread:"
                            + " use Arena.ofShared(), Arena.ofAuto() or a mapped file");
        }
    }
}
