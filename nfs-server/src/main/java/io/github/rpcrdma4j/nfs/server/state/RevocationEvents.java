package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * The events of {@link ServerState} by which an administrator takes something from clients. Its
 * rules hold for them.
 */
public final class RevocationEvents {
    private final LongConsumer begin;
    private final Clients clients;
    private final Copies copies;
    private final Revocations revocations;
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
            Snapshots snapshots,
            Journal journal) {
        this.begin = begin;
        this.clients = clients;
        this.copies = copies;
        this.revocations = revocations;
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
     * Takes the state of all clients at some files, which are not served any more. The clients
     * learn of it as above; those of minor version 0 and hosts learn of it by STALE. Always
     * NFS4_OK.
     *
     * @return how many opens, lock owners and delegations have ended
     */
    public Outcome<Integer> files(Predicate<FileKey> which, long now) {
        begin.accept(now);
        return journal.ok(revocations.revoke(which, now));
    }
}
