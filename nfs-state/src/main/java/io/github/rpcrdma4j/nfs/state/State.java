package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;

/**
 * What a stateid stands for: an open, a lock owner at an open, or a delegation.
 *
 * <pre>
 *   held --revoked--> lost --FREE_STATEID--> (unknown)
 *     \--CLOSE, DELEGRETURN, FREE_STATEID of a lock owner--^
 * </pre>
 */
abstract sealed class State permits Open, Locker, Delegation {
    final Client client;
    final OpenFile file;

    /** Names the state among those of its client. */
    final int number;

    /** The sequence of the stateid: 1 for a new one, never 0. */
    int sequence = 1;

    /** OK while the client has the state; otherwise EXPIRED, ADMIN_REVOKED or DELEG_REVOKED. */
    Nfs4Status lost = Nfs4Status.OK;

    /** About how much memory the state takes. */
    final int bytes;

    State(Client client, OpenFile file, int number, OpaqueName owner) {
        this.client = client;
        this.file = file;
        this.number = number;
        this.bytes = StateLimits.STATE_OWN_BYTES + owner.bytes().length;
    }

    boolean isLost() {
        return lost != Nfs4Status.OK;
    }

    void change() {
        sequence = sequence == -1 ? 1 : sequence + 1;
    }

    /** The client did not learn of the last change. A new stateid stays as it is. */
    void changeBack() {
        sequence = sequence == 1 ? 1 : sequence - 1;
    }
}
