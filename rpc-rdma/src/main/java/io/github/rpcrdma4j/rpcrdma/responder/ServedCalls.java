package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The calls of a connection that are not finished, and those that are and will be others: a steady
 * stream of short calls makes no garbage. Guarded by the lock of the connection.
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
     * @param sent told when the plain reply of a call has left
     */
    ServedCalls(SegmentPool pool, int spareMax, Consumer<ServedCall> sent) {
        this.pool = pool;
        this.spareMax = spareMax;
        this.sent = sent;
    }

    /** A call that is about to begin. */
    ServedCall take() {
        return spare.isEmpty() ? new ServedCall(pool, sent) : spare.removeLast();
    }

    /** It lives. */
    void add(ServedCall call) {
        call.place(live.size());
        live.add(call);
    }

    /** It is finished; its memory was released. */
    void remove(ServedCall call) {
        var last = live.removeLast();
        if (last != call) {
            live.set(call.place(), last);
            last.place(call.place());
        }
        giveBack(call);
    }

    /** A call that never lived, or does no more. */
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

    /** How many leases are kept for later. */
    int keptLeases() {
        int kept = 0;
        for (var call : spare) {
            kept += call.keepsMemory() ? 1 : 0;
        }
        return kept;
    }

    /** Those that live, a copy. */
    List<ServedCall> all() {
        return List.copyOf(live);
    }

    /** Nothing is kept any more. */
    void close() {
        closed = true;
        spare.forEach(ServedCall::dispose);
        spare.clear();
    }
}
