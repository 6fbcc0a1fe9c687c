package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Layouts;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory that is registered with the adapter. Thread-safe.
 *
 * <p>Tests: {@code AdapterMemory}.
 */
final class AdapterRegion implements MemoryRegion {
    private final AdapterDomain domain;
    private final MemorySegment segment;
    private final int access;
    private final boolean isCached;
    private final long mr;
    private final int localKey;

    /** How many posted requests and receives use the region; less than zero once it has ended. */
    private final AtomicInteger posted = new AtomicInteger();

    /** The valid windows on the region. Guarded by this. */
    private int windows;

    /** Registrations of parts of the memory as sinks of RDMA Reads. Guarded by this. */
    private final Set<Long> sinks = new HashSet<>();

    private volatile boolean isValid = true;

    /**
     * Registers memory, or takes the registration of an earlier region.
     *
     * @param isCached whether the registration is cached for a later region when this one ends
     */
    AdapterRegion(AdapterDomain domain, MemorySegment segment, boolean isCached) {
        this.domain = domain;
        this.segment = segment;
        this.isCached = isCached;
        access =
                (segment.isReadOnly() ? 0 : Verbs.ACCESS_LOCAL_WRITE)
                        | (domain.device.hasWindows ? Verbs.ACCESS_MW_BIND : 0);
        // An adapter cannot register zero bytes. No work request refers to them.
        mr = segment.byteSize() == 0 ? 0 : domain.registerOrTake(segment, access);
        localKey = mr == 0 ? 0 : Memory.int32(mr + Layouts.Registration.LKEY);
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public boolean isWritable() {
        return !segment.isReadOnly();
    }

    @Override
    public boolean isValid() {
        return isValid;
    }

    boolean belongsTo(AdapterDomain candidate) {
        return domain == candidate;
    }

    long address() {
        return segment.address();
    }

    long mr() {
        return mr;
    }

    int localKey() {
        return localKey;
    }

    /**
     * Counts one more posted request or receive.
     *
     * @throws IllegalArgumentException if the region has ended
     */
    void addPosted() {
        if (posted.getAndIncrement() < 0) {
            posted.getAndDecrement();
            throw new IllegalArgumentException("work uses memory that is no longer registered");
        }
    }

    /** Counts one posted request or receive less: the adapter is done with it. */
    void removePosted() {
        posted.getAndDecrement();
    }

    /**
     * Registers a part as the sink of an RDMA Read, which on iWARP is a target of remote writes
     * (RFC 5040, Section 5.2.1). Returns the registration, for {@link #endSink}.
     *
     * @throws IllegalStateException if the region was closed
     */
    synchronized long registerSink(long offset, long length) {
        if (!isValid) {
            throw new IllegalStateException("the sink of an RDMA Read is closed");
        }
        long sink =
                domain.registerWithAdapter(
                        segment.asSlice(offset, length),
                        Verbs.ACCESS_LOCAL_WRITE | Verbs.ACCESS_REMOTE_WRITE);
        sinks.add(sink);
        return sink;
    }

    /** Ends the registration of a sink. Returns whether it has ended. */
    synchronized boolean endSink(long sink) {
        return !sinks.remove(sink) || domain.deregister(sink);
    }

    synchronized void bind() {
        if (!isValid) {
            throw new IllegalArgumentException("the region of a window is closed");
        }
        windows++;
    }

    synchronized void unbind() {
        windows--;
    }

    @Override
    public synchronized void close() {
        if (windows > 0 && isValid) {
            throw new IllegalStateException(
                    "a region cannot be closed with valid windows: " + windows);
        }
        end();
    }

    /** Ends the registration. The windows must have ended before. */
    synchronized void end() {
        if (isValid) {
            isValid = false;
            sinks.forEach(domain::deregister);
            sinks.clear();
            endRegistration();
            domain.forget(this);
        }
    }

    private void endRegistration() {
        // Work that is posted must find the memory gone.
        boolean isPosted = posted.getAndAdd(Integer.MIN_VALUE) > 0;
        if (mr != 0 && isCached && !isPosted) {
            domain.give(segment, access, mr);
        } else if (mr != 0) {
            domain.deregister(mr);
        }
    }
}
