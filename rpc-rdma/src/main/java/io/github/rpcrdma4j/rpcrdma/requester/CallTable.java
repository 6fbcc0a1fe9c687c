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
    private PendingCall[] slots = new PendingCall[FIRST_CAPACITY];

    private int size;

    int size() {
        return size;
    }

    /** Returns the call with an XID; null if there is none. */
    PendingCall get(int xid) {
        return slots[find(xid)];
    }

    /**
     * Adds a call.
     *
     * @throws AssertionError if another call has its XID
     */
    void put(PendingCall call) {
        if (2 * (size + 1) > slots.length) {
            grow();
        }
        int at = find(call.xid());
        if (slots[at] != null) {
            throw new AssertionError("two calls have XID " + call.xid());
        }
        slots[at] = call;
        size++;
    }

    /** Removes the call with an XID, if there is one. */
    void remove(int xid) {
        int free = find(xid);
        if (slots[free] == null) {
            return;
        }
        slots[free] = null;
        size--;
        // Later entries that collided with the removed one move to the free slot.
        for (int i = next(free); slots[i] != null; i = next(i)) {
            int home = home(slots[i].xid());
            if (distance(home, i) >= distance(free, i)) {
                slots[free] = slots[i];
                slots[i] = null;
                free = i;
            }
        }
    }

    /** Returns a copy of all calls. */
    List<PendingCall> all() {
        var all = new ArrayList<PendingCall>(size);
        for (var call : slots) {
            if (call != null) {
                all.add(call);
            }
        }
        return all;
    }

    private void grow() {
        var calls = all();
        slots = new PendingCall[2 * slots.length];
        for (var call : calls) {
            slots[find(call.xid())] = call;
        }
    }

    /** Returns the slot of an XID, or the free slot for it. */
    private int find(int xid) {
        int at = home(xid);
        while (slots[at] != null && slots[at].xid() != xid) {
            at = next(at);
        }
        return at;
    }

    private int home(int xid) {
        return xid * SPREAD >>> Integer.numberOfLeadingZeros(slots.length) + 1;
    }

    private int next(int at) {
        return at + 1 & slots.length - 1;
    }

    private int distance(int from, int to) {
        return to - from & slots.length - 1;
    }
}
