package io.github.rpcrdma4j.nfs.client.v4.session;

import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.State;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The slots of the fore channel of a session (RFC 8881, Section 2.10.6). A call takes the lowest
 * free one, so that few slots suffice while few calls are outstanding. The server says how many it
 * wants to see used, and may say so at any time; the client never goes below one. Used by one
 * thread at a time.
 */
public final class SlotTable {
    /** The most slots that this side uses, however many the server grants, also later. */
    public static final int SLOTS_MAX = 64;

    private final List<Slot> slots = new ArrayList<>();

    /** The files that the call of a slot in doubt may still change. */
    private final Map<Integer, Set<FileHandle>> changed = new HashMap<>();

    /** The most slots that may be used. */
    private int limit;

    /** The slot that was probed last. */
    private int probed;

    /**
     * Creates the slots of a new session.
     *
     * @param granted how many the server grants, unsigned; at least 1
     */
    public SlotTable(int granted) {
        limit = (int) Math.min(Integer.toUnsignedLong(granted), SLOTS_MAX);
        for (int i = 0; i < limit; i++) {
            slots.add(Slot.NEW);
        }
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
        int usable = 0;
        int free = 0;
        int found = -1;
        for (int i = 0; i < end(); i++) {
            var state = slots.get(i).state();
            usable += state == State.RETIRED ? 0 : 1;
            if (state == State.FREE) {
                free++;
                found = found < 0 ? i : found;
            }
        }
        // With one slot there is none to reserve.
        if (found < 0 || free <= Math.min(reserved, usable - 1)) {
            return OptionalInt.empty();
        }
        slots.set(found, slots.get(found).taken());
        return OptionalInt.of(found);
    }

    /** Returns the number of the first slot that must not be used. */
    private int end() {
        return Math.min(limit, slots.size());
    }

    /** Returns how many slots may be used: with none the session is of no use. */
    public int usable() {
        return count(each -> each.state() != State.RETIRED);
    }

    /** Returns how many slots no call has. */
    public int free() {
        return count(each -> each.state() == State.FREE);
    }

    private int count(Predicate<Slot> wanted) {
        return (int) slots.subList(0, end()).stream().filter(wanted).count();
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
        switch (next.state()) {
            case FREE, RETIRED -> changed.remove(number);
            case SENT, IN_DOUBT, PROBING, LOST -> {}
        }
        return next.state();
    }

    /** Takes note of the files that the call of a slot in doubt may still change. */
    public void mayChange(int number, Set<FileHandle> files) {
        if (!files.isEmpty()) {
            changed.put(number, files);
        }
    }

    /**
     * Returns whether the server may still carry out a call that changes one of some files, and
     * that nobody waits for any more: a change that is made now could be undone by it.
     */
    public boolean mayStillChange(Set<FileHandle> files) {
        return changed.values().stream().anyMatch(each -> !Collections.disjoint(each, files));
    }

    /** Returns whether there is such a call for any file. */
    public boolean mayStillChange() {
        return !changed.isEmpty();
    }

    /** Returns whether a call has a slot. */
    public boolean isSent(int number) {
        return slots.get(number).state() == State.SENT;
    }

    /**
     * Begins to probe a slot in doubt; empty if there is none. They have their turns, because the
     * server may work on the call of one of them for long.
     */
    public OptionalInt probe() {
        for (int i = 1; i <= slots.size(); i++) {
            int next = (probed + i) % slots.size();
            if (slots.get(next).state() == State.IN_DOUBT) {
                slots.set(next, slots.get(next).probed());
                probed = next;
                return OptionalInt.of(next);
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
}
