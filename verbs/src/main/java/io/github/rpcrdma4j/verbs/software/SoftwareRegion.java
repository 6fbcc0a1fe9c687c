package io.github.rpcrdma4j.verbs.software;

import io.github.rpcrdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** A region that a provider copies into between {@link #enter} and {@link #exit}. */
public final class SoftwareRegion extends Guarded implements MemoryRegion {
    private final SoftwareDomain domain;
    private final MemorySegment segment;
    private final long length;

    /** Windows on it that are valid; guarded by this. */
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
     * A window on it becomes valid.
     *
     * @throws IllegalArgumentException if the region is closed
     */
    synchronized void bind() {
        if (!isValid()) {
            throw new IllegalArgumentException("the region of a window is closed");
        }
        windows++;
    }

    /** A window on it is not valid any more. */
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
            shut();
        }
        end();
    }

    /** Ends with its domain, which has ended its windows. */
    void end() {
        shut();
        domain.forget(this);
        awaitLeft();
    }
}
