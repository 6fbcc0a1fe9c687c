package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who waits for locks of one file, in the order of their first requests. */
final class Waiters {
    private final Map<RangeLock<StateOwner>, Waiter> waiting = new LinkedHashMap<>();

    /** Those whose turn it is. No two of them conflict. */
    private final List<Waiter> turns = new ArrayList<>();

    private final FileCounts use = new FileCounts();

    int size() {
        return waiting.size();
    }

    /** Returns how many more of a client may wait, if so many of all may. */
    long room(int limit, Client client) {
        return use.room(limit, client);
    }

    Waiter find(RangeLock<StateOwner> wanted) {
        return waiting.get(wanted);
    }

    void add(Waiter waiter) {
        waiting.put(waiter.wanted, waiter);
        use.count(waiter.client, 1);
    }

    void remove(Waiter waiter) {
        if (waiting.remove(waiter.wanted, waiter)) {
            use.count(waiter.client, -1);
        }
        turns.remove(waiter);
    }

    List<Waiter> all() {
        return List.copyOf(waiting.values());
    }

    List<Waiter> turns() {
        return turns;
    }

    /** Returns whether a client waits for something of the file. */
    boolean isOf(Client client) {
        return use.clients().contains(client);
    }

    /** Returns one whose turn forbids a lock, or null. */
    Waiter inTheWayOf(RangeLock<StateOwner> lock) {
        for (var each : turns) {
            if (each.isInTheWayOf(lock)) {
                return each;
            }
        }
        return null;
    }
}
