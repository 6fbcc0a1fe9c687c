package io.github.rpcrdma4j.rpcrdma.requester;

import java.util.ArrayList;
import java.util.List;

/**
 * The calls of a connection by XID. Open addressing: a call that comes and goes leaves no garbage.
 * Not thread-safe.
 */
final class CallTable {
    private static final int FIRST_CAPACITY = 16;

    /** Spreads XIDs that follow each other, and others as well: 2^32 over the golden ratio. */
    private static final int SPREAD = 0x9e37_79b9;

    /**
     * At least half of the places are free; the call of an XID is found before the next of them.
     */
    private PendingCall[] places = new PendingCall[FIRST_CAPACITY];

    private int size;

    int size() {
        return size;
    }

    /** The call of that XID; null if there is none. */
    PendingCall get(int xid) {
        return places[find(xid)];
    }

    /**
     * Adds a call.
     *
     * @throws AssertionError if another call has its XID
     */
    void put(PendingCall call) {
        if (2 * (size + 1) > places.length) {
            grow();
        }
        int at = find(call.xid());
        if (places[at] != null) {
            throw new AssertionError("two calls have XID " + call.xid());
        }
        places[at] = call;
        size++;
    }

    /** Removes the call of that XID, if there is one. */
    void remove(int xid) {
        int free = find(xid);
        if (places[free] == null) {
            return;
        }
        places[free] = null;
        size--;
        // What was put behind it because of it moves up.
        for (int i = next(free); places[i] != null; i = next(i)) {
            int home = home(places[i].xid());
            if (distance(home, i) >= distance(free, i)) {
                places[free] = places[i];
                places[i] = null;
                free = i;
            }
        }
    }

    /** All calls, a copy. */
    List<PendingCall> all() {
        var all = new ArrayList<PendingCall>(size);
        for (var call : places) {
            if (call != null) {
                all.add(call);
            }
        }
        return all;
    }

    private void grow() {
        var calls = all();
        places = new PendingCall[2 * places.length];
        for (var call : calls) {
            places[find(call.xid())] = call;
        }
    }

    /** The place of that XID, or the one where it would be put. */
    private int find(int xid) {
        int at = home(xid);
        while (places[at] != null && places[at].xid() != xid) {
            at = next(at);
        }
        return at;
    }

    private int home(int xid) {
        return xid * SPREAD >>> Integer.numberOfLeadingZeros(places.length) + 1;
    }

    private int next(int at) {
        return at + 1 & places.length - 1;
    }

    private int distance(int from, int to) {
        return to - from & places.length - 1;
    }
}
