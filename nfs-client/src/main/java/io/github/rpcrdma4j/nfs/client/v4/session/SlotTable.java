package io.github.rpcrdma4j.nfs.client.v4.session;

import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.State;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * The slots of the fore channel of a session (RFC 8881, Section 2.10.6). A call takes the lowest
 * free one, so that few slots suffice while few calls are outstanding. The server says how many it
 * wants to see used, and may say so at any time; the client never goes below one. Used by one
 * thread at a time.
 */
public final class SlotTable {
    private final List<Slot> slots = new ArrayList<>();

    /** The most slots that may be used. */
    private int limit;

    /**
     * Creates the slots of a new session.
     *
     * @param count how many the server grants; at least 1
     */
    public SlotTable(int count) {
        for (int i = 0; i < count; i++) {
            slots.add(Slot.NEW);
        }
        limit = count;
    }

    /** A slot that a call has, and what its SEQUENCE says. */
    public record Taken(int number, int sequence, int highest) {}

    /**
     * Gives the lowest free slot to a call.
     *
     * @param reserved so many slots stay free, for calls that all others wait for
     * @return empty if there is none
     */
    public OptionalInt take(int reserved) {
        int free = 0;
        int found = -1;
        for (int i = 0; i < usable(); i++) {
            if (slots.get(i).state() == State.FREE) {
                free++;
                found = found < 0 ? i : found;
            }
        }
        // With one slot there is none to reserve.
        if (found < 0 || free <= Math.min(reserved, usable() - 1)) {
            return OptionalInt.empty();
        }
        slots.set(found, slots.get(found).taken());
        return OptionalInt.of(found);
    }

    /** Returns how many slots may be used. */
    public int usable() {
        return Math.min(limit, slots.size());
    }

    /** Returns what the SEQUENCE of the call that has a slot says. */
    public Taken sequence(int number) {
        return new Taken(number, slots.get(number).sequence(), highest());
    }

    /** Returns the highest slot that is not free. */
    private int highest() {
        int highest = 0;
        for (int i = 0; i < slots.size(); i++) {
            switch (slots.get(i).state()) {
                case SENT, IN_DOUBT, PROBING -> highest = i;
                case FREE, RETIRED, LOST -> {}
            }
        }
        return highest;
    }

    /** Takes note of the outcome of the call, or of the probe, that has a slot. */
    public State after(int number, Outcome outcome) {
        var next = slots.get(number).after(outcome);
        slots.set(number, next);
        return next.state();
    }

    /** Returns whether a call has a slot. */
    public boolean isSent(int number) {
        return slots.get(number).state() == State.SENT;
    }

    /** Begins to probe a slot in doubt; empty if there is none. */
    public OptionalInt probe() {
        for (int i = 0; i < slots.size(); i++) {
            if (slots.get(i).state() == State.IN_DOUBT) {
                slots.set(i, slots.get(i).probed());
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    /** Returns whether nobody knows yet what became of some call. */
    public boolean isInDoubt() {
        return slots.stream()
                .anyMatch(each -> each.state() == State.IN_DOUBT || each.state() == State.PROBING);
    }

    /**
     * Takes note of how many slots the server wants to see used.
     *
     * @param highest the highest slot, unsigned
     */
    public void target(int highest) {
        limit = Math.clamp(Integer.toUnsignedLong(highest) + 1, 1, Integer.MAX_VALUE);
        while (slots.size() < limit && slots.size() < SLOTS_MAX) {
            slots.add(Slot.NEW);
        }
    }

    /** The most slots that this side uses, however many the server grants later. */
    public static final int SLOTS_MAX = 64;

    /** Returns how many slots no call has. */
    public int free() {
        return (int)
                slots.subList(0, usable()).stream()
                        .filter(each -> each.state() == State.FREE)
                        .count();
    }
}
