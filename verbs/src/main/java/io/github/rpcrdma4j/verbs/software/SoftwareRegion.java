package io.github.rpcrdma4j.verbs.software;

import io.github.rpcrdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** A region that a provider accesses only between {@link #acquire} and {@link #release}. */
public final class SoftwareRegion extends Guarded implements MemoryRegion {
    private final SoftwareDomain domain;
    private final MemorySegment segment;
    private final long length;

    /** The number of valid windows on the region. Guarded by this. */
    private int windows;

    SoftwareRegion(SoftwareDomain domain, MemorySegment segment) {
        this.domain = domain;
        this.segment = segment;
        this.length = segment.byteSize();
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isWritable() {
        return !segment.isReadOnly();
    }

    @Override
    public boolean isValid() {
        return isOpen();
    }

    boolean belongsTo(SoftwareDomain candidate) {
        return domain == candidate;
    }

    /**
     * Counts a new window on the region.
     *
     * @throws IllegalArgumentException if the region is closed
     */
    synchronized void bind() {
        if (!isValid()) {
            throw new IllegalArgumentException("the region of a window is closed");
        }
        windows++;
    }

    /** Subtracts an ended window on the region. */
    synchronized void unbind() {
        windows--;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (windows > 0 && isOpen()) {
                throw new IllegalStateException(
                        "a region cannot be closed with valid windows: " + windows);
            }
            markEnded();
        }
        end();
    }

    /**
     * Ends the region, and waits until no thread accesses it. Its windows must have ended before.
     */
    void end() {
        markEnded();
        domain.forget(this);
        awaitReleased();
    }
}
