package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * A session: its slots, its connections and its back channel (RFC 8881, Section 2.10).
 *
 * <p>The server can take slots back, the highest first: it asks the client to use fewer, and
 * retires the others when the client shows that it knows (Section 2.10.6.1).
 */
final class Session {
    final SessionId id;
    final Client client;
    final ChannelAttributes fore;
    final BackChannel back;
    final SequencedSet<Connection> connections = new LinkedHashSet<>();
    private final Slot[] slots;

    /** How many slots the client may use. */
    private int count;

    /** How many it is to use. */
    private int target;

    /** Counts the targets. A slot knows which one its last reply has told. */
    private int targetNumber;

    /** The number of COMPOUNDs in progress. */
    int running;

    /** When the last one began. */
    long used;

    boolean isRemoved;

    Session(SessionId id, Client client, ChannelAttributes fore, BackChannel back, long now) {
        this.id = id;
        this.client = client;
        this.fore = fore;
        this.back = back;
        this.slots = new Slot[fore.slots()];
        this.count = fore.slots();
        this.target = count;
        this.used = now;
    }

    int slotCount() {
        return count;
    }

    int target() {
        return target;
    }

    int targetNumber() {
        return targetNumber;
    }

    /** Returns the slot of a valid number. */
    Slot slot(int number) {
        if (slots[number] == null) {
            slots[number] = new Slot();
        }
        return slots[number];
    }

    /** Asks the client to use no more slots than so many, which are fewer than it has. */
    void ask(int fewer) {
        target = fewer;
        targetNumber++;
    }

    /**
     * Returns whether a new call shows that its client uses no more slots than it is to: the last
     * reply in the slot of the call has told how many.
     */
    boolean isAcknowledgedBy(SequenceCall call) {
        return target < count
                && slot(call.slot()).told() == targetNumber
                && call.slot() < target
                && Integer.compareUnsigned(call.highestSlot(), target) < 0
                && !isSurplusRunning();
    }

    /** Returns whether a call is in progress in a slot beyond the target. */
    boolean isSurplusRunning() {
        for (int i = target; i < count; i++) {
            if (slots[i] != null && slots[i].isRunning()) {
                return true;
            }
        }
        return false;
    }

    /** Takes the slots beyond the target, with the replies that they keep. */
    void retireSurplus() {
        for (int i = target; i < count; i++) {
            if (slots[i] != null) {
                slots[i].retire();
            }
        }
        count = target;
    }

    /** Gives slots back that were taken. */
    void grow(int more) {
        count += more;
        ask(count);
    }
}
