package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.BackChannelSecurity;
import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.SequencedSet;

/**
 * The back channel of a session: connections, and slots for the calls of the server (RFC 8881,
 * Section 2.10.6).
 */
final class BackChannel {
    final ChannelAttributes attributes;
    final SequencedSet<Connection> connections = new LinkedHashSet<>();

    /** Whether the client has ever given the session a connection for calls of the server. */
    private boolean isWanted;

    private int program;
    private BackChannelSecurity security;
    private final int[] sequences;
    private final boolean[] isBusy;

    /** The highest slot that the client wants the server to use. */
    private int target;

    /** Whether the client refused a call in a way that says that the channel is out of order. */
    private boolean isFaulty;

    BackChannel(ChannelAttributes attributes, int program, BackChannelSecurity security) {
        this.attributes = attributes;
        this.program = program;
        this.security = security;
        this.sequences = new int[attributes.slots()];
        this.isBusy = new boolean[attributes.slots()];
        this.target = attributes.slots() - 1;
    }

    void bind(Connection connection) {
        isWanted = true;
        isFaulty = false;
        connections.remove(connection);
        connections.add(connection);
    }

    void control(int newProgram, BackChannelSecurity newSecurity) {
        program = newProgram;
        security = newSecurity;
    }

    boolean isWanted() {
        return isWanted;
    }

    boolean isUp() {
        return !connections.isEmpty() && !isFaulty;
    }

    /** Returns whether the client takes messages that are long enough for each CB_RECALL. */
    boolean carriesRecalls() {
        return Integer.compareUnsigned(security.recallMax(), attributes.requestMax()) <= 0;
    }

    /** Returns the bits of the session in {@code sr_status_flags}. */
    int statusFlags() {
        int flags = isFaulty ? StatusFlags.BACKCHANNEL_FAULT : 0;
        return isWanted && connections.isEmpty() ? flags | StatusFlags.CB_PATH_DOWN_SESSION : flags;
    }

    /** Returns how many slots the server may use. */
    int slots() {
        return Math.min(target, sequences.length - 1) + 1;
    }

    /** Takes the lowest free slot, over the newest connection. */
    Optional<Callback> take(Session session) {
        if (!isUp()) {
            return Optional.empty();
        }
        for (int slot = 0; slot < slots(); slot++) {
            if (!isBusy[slot]) {
                isBusy[slot] = true;
                return Optional.of(
                        new Callback(
                                session,
                                connections.getLast(),
                                slot,
                                sequences[slot] + 1,
                                highestBusy(),
                                program,
                                security));
            }
        }
        return Optional.empty();
    }

    private int highestBusy() {
        for (int slot = isBusy.length - 1; slot > 0; slot--) {
            if (isBusy[slot]) {
                return slot;
            }
        }
        return 0;
    }

    void giveBack(Callback call, Callback.End end) {
        isBusy[call.slot()] = false;
        switch (end) {
            case Callback.Answered answered -> {
                sequences[call.slot()] = call.sequence();
                target = Math.max(0, Math.min(answered.targetHighestSlot(), sequences.length - 1));
            }
            case Callback.Postponed _ -> {
                // The slot keeps its sequence: the client has not taken the call.
            }
            case Callback.Refused _ -> isFaulty = true;
            case Callback.Lost _ -> connections.remove(call.connection());
        }
    }
}
