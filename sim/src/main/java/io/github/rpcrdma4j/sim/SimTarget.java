package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.UnknownHandle.Use;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareWindow;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.WeakHashMap;

/** The memory of one end of a connection, as its peer accesses it. */
final class SimTarget {
    private record Written(WorkRequest.Write write, byte[] bytes) {}

    private final SimWorld world;
    private final SoftwareWindows windows;

    /** RDMA Writes that have arrived. They are placed before the next Send, in any order. */
    private final List<Written> unplaced = new ArrayList<>();

    private final Set<SoftwareWindow> scribbled = Collections.newSetFromMap(new WeakHashMap<>());
    private Optional<UnknownHandle> unknownHandle = Optional.empty();

    SimTarget(SimWorld world, SoftwareWindows windows) {
        this.world = world;
        this.windows = windows;
    }

    /** Returns the unknown handle that the peer used before the connection ended, if it did. */
    Optional<UnknownHandle> unknownHandle() {
        return unknownHandle;
    }

    /** Drops all arrived Writes that are not placed. */
    void clear() {
        unplaced.clear();
    }

    /** Records an arrived Write, which the next {@link #placeAll} places. */
    void written(WorkRequest.Write write, byte[] bytes) {
        unplaced.add(new Written(write, bytes));
    }

    /**
     * Places all arrived Writes, in random order.
     *
     * @return false if one of them is not allowed
     */
    boolean placeAll() {
        Collections.shuffle(unplaced, new Random(world.random().nextLong()));
        while (!unplaced.isEmpty()) {
            if (!place(unplaced.removeLast())) {
                return false;
            }
        }
        return true;
    }

    private boolean place(Written written) {
        var write = written.write;
        var bytes = written.bytes;
        var window = find(Use.WRITE, write.handle());
        if (window == null
                || !window.allows(Access.REMOTE_WRITE)
                || !window.contains(write.address(), bytes.length)
                || !window.acquire()) {
            return false;
        }
        try {
            var memory = window.region().segment();
            if (world.scribbles() && scribbled.add(window)) {
                long start = window.at(window.address());
                memory.asSlice(start, window.length()).fill((byte) world.random().nextInt());
            }
            place(bytes, memory, window.at(write.address()));
        } finally {
            window.release();
        }
        return true;
    }

    static void place(byte[] bytes, MemorySegment memory, long at) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    /**
     * Returns the bytes for an RDMA Read of the peer.
     *
     * @return null if the Read is not allowed
     */
    byte[] read(WorkRequest.Read read) {
        long length = read.sink().length();
        if (length == 0) {
            return new byte[0];
        }
        var window = find(Use.READ, read.handle());
        if (window == null
                || !window.allows(Access.REMOTE_READ)
                || !window.contains(read.address(), length)) {
            return null;
        }
        long at = window.at(read.address());
        return window.region().segment().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * Invalidates a handle for the peer.
     *
     * @return false if no window had the handle recently
     */
    boolean invalidated(int handle) {
        var window = windows.find(handle);
        if (window != null) {
            window.invalidate();
        } else if (!windows.endedRecently(handle)) {
            unknownHandle = Optional.of(new UnknownHandle(Use.INVALIDATE, handle));
            return false;
        }
        return true;
    }

    private SoftwareWindow find(Use use, int handle) {
        var window = windows.find(handle);
        if (window == null) {
            unknownHandle = Optional.of(new UnknownHandle(use, handle));
        }
        return window;
    }
}
