package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/**
 * What a stateid stands for.
 *
 * <pre>
 *   held --revoked--> lost --FREE_STATEID--> (unknown)
 *     \--CLOSE, FREE_STATEID of a lock owner--^
 * </pre>
 */
abstract sealed class State permits Open, Locker {
    final Client client;
    final OpenFile file;

    /** Names the state among those of its client. */
    final int number;

    /** The sequence of the stateid: 1 for a new one, never 0. */
    int sequence = 1;

    /** OK while the client has the state; otherwise EXPIRED or ADMIN_REVOKED. */
    Nfs4Status lost = Nfs4Status.OK;

    State(Client client, OpenFile file, int number) {
        this.client = client;
        this.file = file;
        this.number = number;
    }

    /** Returns the open that grants access. */
    abstract Open open();

    boolean isLost() {
        return lost != Nfs4Status.OK;
    }

    void change() {
        sequence = sequence == -1 ? 1 : sequence + 1;
    }
}
