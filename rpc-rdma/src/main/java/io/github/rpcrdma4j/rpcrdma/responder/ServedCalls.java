package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The unfinished calls of a connection, and finished ones for reuse. A steady stream of short calls
 * makes no garbage. Guarded by the lock of the connection.
 */
final class ServedCalls {
    private final SegmentPool pool;
    private final int spareMax;
    private final Consumer<ServedCall> sent;
    private final ArrayList<ServedCall> live = new ArrayList<>();
    private final ArrayDeque<ServedCall> spare = new ArrayDeque<>();
    private boolean closed;

    /**
     * @param spareMax the most finished calls to keep
     * @param sent called when the plain reply of a call was sent
     */
    ServedCalls(SegmentPool pool, int spareMax, Consumer<ServedCall> sent) {
        this.pool = pool;
        this.spareMax = spareMax;
        this.sent = sent;
    }

    /** Returns a new or reused call, which is about to begin. */
    ServedCall take() {
        return spare.isEmpty() ? new ServedCall(pool, sent) : spare.removeLast();
    }

    /** Adds an unfinished call. */
    void add(ServedCall call) {
        call.index(live.size());
        live.add(call);
    }

    /** Removes a finished call, whose memory was released. */
    void remove(ServedCall call) {
        var last = live.removeLast();
        if (last != call) {
            live.set(call.index(), last);
            last.index(call.index());
        }
        giveBack(call);
    }

    /** Keeps or disposes of a call that is finished or was never added. */
    void giveBack(ServedCall call) {
        if (!closed && spare.size() < spareMax && call.isSmall()) {
            spare.addLast(call);
        } else {
            call.dispose();
        }
    }

    int size() {
        return live.size();
    }

    /** Returns how many leases the kept calls hold. */
    int keptLeases() {
        int kept = 0;
        for (var call : spare) {
            kept += call.keepsMemory() ? 1 : 0;
        }
        return kept;
    }

    /** Returns a copy of the unfinished calls. */
    List<ServedCall> all() {
        return List.copyOf(live);
    }

    /** Disposes of all kept calls, and keeps no more. */
    void close() {
        closed = true;
        spare.forEach(ServedCall::dispose);
        spare.clear();
    }
}
