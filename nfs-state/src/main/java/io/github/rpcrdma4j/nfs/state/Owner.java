package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.OwnerReply;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * An open owner or a lock owner of a client of minor version 0, whose operations have an order (RFC
 * 7530, Section 9.1.7).
 *
 * <pre>
 *   unconfirmed --OPEN_CONFIRM--> confirmed --lease time without state--> (forgotten)
 *        \---- lease time --------------------------------------------------^
 * </pre>
 *
 * <p>Lock owners are confirmed from the start.
 */
final class Owner {
    /** The memory of an owner without its name. */
    private static final int OWN_BYTES = 512 + OwnerReply.BYTES_MAX;

    /** The most memory of an owner. */
    static final int BYTES_MAX = OWN_BYTES + OpaqueName.BYTES_MAX;

    final Client client;
    final OpaqueName name;
    final boolean locks;
    boolean isConfirmed;

    /** The sequence of the last operation, and its reply; null if there was none. */
    int sequence;

    OwnerReply reply;

    /** Who got that reply: no one else gets it again. */
    Principal caller;

    /** The operation in progress, or null. */
    OwnerTurn.Next turn;

    /** Its opens, or where it locks. */
    final SequencedSet<State> states = new LinkedHashSet<>();

    /** If it is a lock owner: of how many files it has locked something. */
    int lockedFiles;

    /** The number of the open that it closed last; its CLOSE may be repeated. */
    Integer closed;

    /** When its last operation ended. */
    long used;

    Owner(Client client, OpaqueName name, boolean locks, long now) {
        this.client = client;
        this.name = name;
        this.locks = locks;
        this.isConfirmed = locks;
        this.used = now;
    }

    int bytes() {
        return OWN_BYTES + name.bytes().length;
    }
}
