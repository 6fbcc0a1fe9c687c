package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.ClientStatus;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.function.LongConsumer;

/**
 * The events of {@link ServerState} by which an administrator takes something from clients. Its
 * rules hold for them.
 */
public final class RevocationEvents {
    private final LongConsumer begin;
    private final Clients clients;
    private final Copies copies;
    private final Revocations revocations;
    private final Files files;
    private final Snapshots snapshots;
    private final Journal journal;

    /**
     * @param begin lets time pass before an event
     */
    RevocationEvents(
            LongConsumer begin,
            Clients clients,
            Copies copies,
            Revocations revocations,
            Files files,
            Snapshots snapshots,
            Journal journal) {
        this.begin = begin;
        this.clients = clients;
        this.copies = copies;
        this.revocations = revocations;
        this.files = files;
        this.snapshots = snapshots;
        this.journal = journal;
    }

    /**
     * Takes all state of a client. The client learns of it from SEQUENCE and from ADMIN_REVOKED.
     *
     * @return NFS4_OK with what the client was before, or NOENT if there is no such client
     */
    public Outcome<ClientStatus> client(long clientId, long now) {
        begin.accept(now);
        var client = clients.find(clientId, now);
        if (client == null) {
            return journal.refused(Nfs4Status.NOENT);
        }
        var before = snapshots.status(client, now);
        copies.endAll(client);
        revocations.revoke(client, Nfs4Status.ADMIN_REVOKED, now);
        return journal.afterChanges(before, null);
    }

    /**
     * Takes the state of all clients at the files of a store, which is not served any more. The
     * clients learn of it as above; those of minor version 0 and hosts learn of it by STALE. A call
     * in progress, which has found a file before, gets STALE instead of new state. Always NFS4_OK.
     *
     * @return how many opens, lock owners and delegations have ended
     */
    public Outcome<Integer> store(Object store, long now) {
        begin.accept(now);
        return journal.ok(revocations.revoke(store, now));
    }

    /** Forgets a store that has gone: no call has a file of it any more. Always NFS4_OK. */
    public Outcome<Void> closed(Object store, long now) {
        begin.accept(now);
        files.forget(store);
        return journal.ok(null);
    }
}
