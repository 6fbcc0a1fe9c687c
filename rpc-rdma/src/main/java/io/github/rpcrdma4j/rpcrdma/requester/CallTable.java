package io.github.rpcrdma4j.rpcrdma.requester;

import java.util.ArrayList;
import java.util.List;

/**
 * A hash table of the calls of a connection by XID. It uses open addressing, so adding and removing
 * a call makes no garbage. Not thread-safe.
 */
final class CallTable {
    private static final int FIRST_CAPACITY = 16;

    /** A hash multiplier that spreads consecutive XIDs: 2^32 divided by the golden ratio. */
    private static final int SPREAD = 0x9e37_79b9;

    /**
     * The slots. At least half of them are free. The search for an XID ends at the next free slot.
     */
    private PendingCall[] places = new PendingCall[FIRST_CAPACITY];

    private int size;

    int size() {
        return size;
    }

    /** Returns the call with an XID; null if there is none. */
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

    /** Removes the call with an XID, if there is one. */
    void remove(int xid) {
        int free = find(xid);
        if (places[free] == null) {
            return;
        }
        places[free] = null;
        size--;
        // Later entries that collided with the removed one move to the free slot.
        for (int i = next(free); places[i] != null; i = next(i)) {
            int home = home(places[i].xid());
            if (distance(home, i) >= distance(free, i)) {
                places[free] = places[i];
                places[i] = null;
                free = i;
            }
        }
    }

    /** Returns a copy of all calls. */
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

    /** Returns the slot of an XID, or the free slot for it. */
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
