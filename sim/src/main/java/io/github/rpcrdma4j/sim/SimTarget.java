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

/** The memory of one end of a connection in a world, as its peer reaches it. */
final class SimTarget {
    private record Written(WorkRequest.Write write, byte[] bytes) {}

    private final SimWorld world;
    private final SoftwareWindows windows;

    /** Writes that have arrived and are placed before the next Send, in any order. */
    private final List<Written> unplaced = new ArrayList<>();

    private final Set<SoftwareWindow> scribbled = Collections.newSetFromMap(new WeakHashMap<>());
    private Optional<UnknownHandle> unknownHandle = Optional.empty();

    SimTarget(SimWorld world, SoftwareWindows windows) {
        this.world = world;
        this.windows = windows;
    }

    /** What the peer used in vain, before the connection ended. */
    Optional<UnknownHandle> unknownHandle() {
        return unknownHandle;
    }

    /** Nothing that has arrived is placed any more. */
    void clear() {
        unplaced.clear();
    }

    /** Bytes have arrived, which are there at the next {@link #placeAll}. */
    void written(WorkRequest.Write write, byte[] bytes) {
        unplaced.add(new Written(write, bytes));
    }

    /**
     * Places what has arrived.
     *
     * @return false if something of it must not be there
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
                || !window.enter()) {
            return false;
        }
        var memory = window.region().segment();
        if (world.scribbles() && scribbled.add(window)) {
            long start = window.at(window.address());
            memory.asSlice(start, window.length()).fill((byte) world.random().nextInt());
        }
        place(bytes, memory, window.at(write.address()));
        window.exit();
        return true;
    }

    static void place(byte[] bytes, MemorySegment memory, long at) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    /**
     * What the peer reads.
     *
     * @return null if it must not
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
     * The peer has invalidated a handle.
     *
     * @return false if that never was one
     */
    boolean invalidated(int handle) {
        var window = windows.find(handle);
        if (window != null) {
            window.invalidate();
        } else if (!windows.hadRecently(handle)) {
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
