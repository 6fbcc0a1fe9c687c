package io.github.rpcrdma4j.verbs.software;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A region that a provider copies into and out of between {@link #enter} and {@link #exit}, so that
 * {@link #invalidate} can promise that nothing arrives after it (RFC 5040-8.1-1).
 */
public final class SoftwareRegion implements MemoryRegion {
    private static final int INVALID = Integer.MIN_VALUE;

    private final SoftwareDomain domain;
    private final int handle;
    private final long address;
    private final MemorySegment segment;
    private final long length;

    /** A bit for each kind of access. */
    private final int access;

    /** How many threads are inside; {@link #INVALID} is added when the region dies. */
    private final AtomicInteger users = new AtomicInteger();

    SoftwareRegion(
            SoftwareDomain domain,
            int handle,
            long address,
            MemorySegment segment,
            Set<Access> access) {
        this.domain = domain;
        this.handle = handle;
        this.address = address;
        this.segment = segment;
        this.length = segment.byteSize();
        int bits = 0;
        for (var each : access) {
            bits |= 1 << each.ordinal();
        }
        this.access = bits;
    }

    @Override
    public int handle() {
        return handle;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public boolean isValid() {
        return users.get() >= 0;
    }

    public boolean belongsTo(SoftwareDomain candidate) {
        return domain == candidate;
    }

    /** Whether it was registered for that (RFC 5040-8.1-2). */
    public boolean allows(Access wanted) {
        return (access & 1 << wanted.ordinal()) != 0;
    }

    /** Whether {@code count} octets at {@code from} lie inside, all numbers unsigned. */
    public boolean contains(long from, long count) {
        long offset = from - address;
        return Long.compareUnsigned(offset, length) <= 0
                && Long.compareUnsigned(count, length - offset) <= 0;
    }

    /** The octets at {@code from}; the caller has checked {@link #contains}. */
    public MemorySegment slice(long from, long count) {
        return segment.asSlice(from - address, count);
    }

    /**
     * Claims the memory for a short copy. Every {@code true} is paired with {@link #exit}.
     *
     * @return false if the region is invalid: then the memory must not be touched
     */
    public boolean enter() {
        if (users.incrementAndGet() > 0) {
            return true;
        }
        users.decrementAndGet();
        return false;
    }

    public void exit() {
        users.decrementAndGet();
    }

    @Override
    public void invalidate() {
        int before = users.getAndUpdate(count -> count >= 0 ? count + INVALID : count);
        if (before >= 0) {
            domain.forget(this);
        }
        // Copies are short and never block, so the last one is waited for, not signalled.
        while (users.get() != INVALID) {
            Thread.onSpinWait();
        }
    }
}
