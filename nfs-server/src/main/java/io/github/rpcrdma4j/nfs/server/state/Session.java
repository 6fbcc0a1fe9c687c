package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/** A session: its slots, its connections and its back channel (RFC 8881, Section 2.10). */
final class Session {
    final SessionId id;
    final Client client;
    final ChannelAttributes fore;
    final BackChannel back;
    final SequencedSet<Connection> connections = new LinkedHashSet<>();
    private final Slot[] slots;

    /** The number of COMPOUNDs in progress. */
    int running;

    boolean isRemoved;

    Session(SessionId id, Client client, ChannelAttributes fore, BackChannel back) {
        this.id = id;
        this.client = client;
        this.fore = fore;
        this.back = back;
        this.slots = new Slot[fore.slots()];
    }

    int slotCount() {
        return slots.length;
    }

    /** Returns the slot of a valid number. */
    Slot slot(int number) {
        if (slots[number] == null) {
            slots[number] = new Slot();
        }
        return slots[number];
    }
}
