package io.github.rpcrdma4j.verbs.software;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import java.util.Set;

/** A window that a provider copies into and out of between {@link #enter} and {@link #exit}. */
public final class SoftwareWindow extends Guarded implements MemoryWindow {
    private final SoftwareWindows windows;
    private final SoftwareRegion region;
    private final int handle;
    private final long address;
    private final long offset;
    private final long length;

    /** A bit for each kind of access. */
    private final int access;

    SoftwareWindow(
            SoftwareWindows windows,
            SoftwareRegion region,
            int handle,
            long address,
            long offset,
            long length,
            Set<Access> access) {
        this.windows = windows;
        this.region = region;
        this.handle = handle;
        this.address = address;
        this.offset = offset;
        this.length = length;
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
    public boolean isValid() {
        return isOpen();
    }

    boolean belongsTo(SoftwareWindows candidate) {
        return windows == candidate;
    }

    /** Whether it was bound for that (RFC 5040-8.1-2). */
    public boolean allows(Access wanted) {
        return (access & 1 << wanted.ordinal()) != 0;
    }

    /** Whether {@code count} bytes at {@code from} lie inside, all numbers unsigned. */
    public boolean contains(long from, long count) {
        long inside = from - address;
        return Long.compareUnsigned(inside, length) <= 0
                && Long.compareUnsigned(count, length - inside) <= 0;
    }

    /** What it is a window on. */
    public SoftwareRegion region() {
        return region;
    }

    /** Where in the {@link #region} the byte lies that the peer calls {@code from}. */
    public long at(long from) {
        return offset + (from - address);
    }

    @Override
    public void invalidate() {
        if (shut()) {
            windows.forget(this);
            region.unbind();
        }
        awaitLeft();
    }
}
