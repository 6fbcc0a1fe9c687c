package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/** The owners of one client of minor version 0. A client with sessions has none. */
final class ClientOwners {
    private final Client client;
    private final Map<OpaqueName, Owner> openers = new LinkedHashMap<>();
    private final Map<OpaqueName, Owner> lockers = new LinkedHashMap<>();

    /** Who has closed an open last, by its number. */
    private final Map<Integer, Owner> closers = new HashMap<>();

    /** Those that have nothing, the one that has had nothing for longest at the start. */
    private final SequencedSet<Owner> idle = new LinkedHashSet<>();

    ClientOwners(Client client) {
        this.client = client;
    }

    private Map<OpaqueName, Owner> map(boolean locks) {
        return locks ? lockers : openers;
    }

    int size() {
        return openers.size() + lockers.size();
    }

    List<Owner> all() {
        var all = new ArrayList<>(openers.values());
        all.addAll(lockers.values());
        return all;
    }

    /**
     * Returns an owner, or null.
     *
     * @param locks whether it is a lock owner
     */
    Owner find(OpaqueName name, boolean locks) {
        return map(locks).get(name);
    }

    /** Returns the owner of a state, or of one that it closed last; null if there is none. */
    Owner holding(int number) {
        var state = client.states.get(number);
        return state == null ? closers.get(number) : of(state);
    }

    /** Returns an owner that has nothing, but not this one; null if there is none. */
    Owner idle(Owner but) {
        for (var each : idle) {
            if (each != but && each.turn == null) {
                return each;
            }
        }
        return null;
    }

    void put(Owner owner) {
        map(owner.locks).put(owner.name, owner);
        idle.add(owner);
    }

    void remove(Owner owner) {
        map(owner.locks).remove(owner.name, owner);
        closers.remove(owner.closed, owner);
        idle.remove(owner);
    }

    private Owner of(State state) {
        return switch (state) {
            case Open open -> find(open.owner, false);
            case Locker locker -> find(locker.owner.name(), true);
            case Delegation _ -> null;
        };
    }

    /** The client has a new state. */
    void add(State state) {
        var owner = of(state);
        if (owner != null) {
            owner.states.add(state);
            idle.remove(owner);
        }
    }

    /** The client has a state no longer. */
    void remove(State state) {
        var owner = of(state);
        if (owner == null) {
            return;
        }
        owner.states.remove(state);
        if (owner.states.isEmpty()) {
            idle.add(owner);
        }
        if (state instanceof Open) {
            closers.remove(owner.closed, owner);
            owner.closed = state.number;
            closers.put(state.number, owner);
        }
    }
}
