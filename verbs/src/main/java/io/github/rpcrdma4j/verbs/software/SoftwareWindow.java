package io.github.rpcrdma4j.verbs.software;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import java.util.Set;

/** A window that a provider accesses only between {@link #acquire} and {@link #release}. */
public final class SoftwareWindow extends Guarded implements MemoryWindow {
    private final SoftwareWindows windows;
    private final SoftwareRegion region;
    private final int handle;
    private final long address;
    private final long offset;
    private final long length;

    /** The allowed kinds of access, with one bit for each. */
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

    /** Returns whether the window allows a kind of access (RFC 5040-8.1-2). */
    public boolean allows(Access wanted) {
        return (access & 1 << wanted.ordinal()) != 0;
    }

    /**
     * Returns whether the window contains {@code count} bytes at address {@code from}; both are
     * unsigned.
     */
    public boolean contains(long from, long count) {
        long inside = from - address;
        return Long.compareUnsigned(inside, length) <= 0
                && Long.compareUnsigned(count, length - inside) <= 0;
    }

    /** Returns the region of the window. */
    public SoftwareRegion region() {
        return region;
    }

    /** Returns the offset in the {@link #region} of the byte at the peer's address {@code from}. */
    public long at(long from) {
        return offset + (from - address);
    }

    @Override
    public void invalidate() {
        if (markEnded()) {
            windows.forget(this);
            region.unbind();
        }
        awaitReleased();
    }
}
