package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Knows which clients have their records on stable storage. A client gets nothing that needs a
 * record before the record is there. A record that says that its client reclaims nothing counts as
 * none.
 *
 * <pre>
 *   none --order--> in writing --written--> there
 *    ^ ^                |                     |
 *    | `----failed------'                     |
 *    `---------------forgotten----------------'
 * </pre>
 */
final class Records {
    /**
     * How many records may be in writing or in removal, so that storage which hangs collects no
     * more, and one that is slow makes nobody wait for the changes of a single host. {@link Shares}
     * says how many of one host. A removal that no call of its host asks for comes beside them.
     */
    static final int CHANGES_MAX = 1024;

    private final Journal journal;
    private final Shares shares;
    private final Recovery recovery;

    /** The clients whose records are in writing or in removal, by the numbers of the changes. */
    private final Map<Long, Client> changing = new HashMap<>();

    Records(Journal journal, Shares shares, Recovery recovery) {
        this.journal = journal;
        this.shares = shares;
        this.recovery = recovery;
    }

    /**
     * Makes sure that the client of a COMPOUND has its record. A COMPOUND whose record could not be
     * written orders no other one; the next COMPOUND does.
     *
     * @return nothing if it is on storage; otherwise the outcome of the event that needs it
     */
    <T> Optional<Outcome<T>> require(ClientUse use) {
        var client = use.client();
        if (use.awaitedRecord != 0 && use.awaitedRecord == client.failedRecord) {
            return Optional.of(journal.refused(Nfs4Status.DELAY));
        }
        if (client.recordNumber == 0) {
            if (!mayChange(client)) {
                return Optional.of(journal.refused(Nfs4Status.DELAY));
            }
            client.recordNumber = journal.persist(client);
            begin(client.recordNumber, client);
        }
        if (!changing.containsKey(client.recordNumber)) {
            return Optional.empty();
        }
        use.awaitedRecord = client.recordNumber;
        return Optional.of(journal.postponed(client));
    }

    private boolean mayChange(Client client) {
        return shares.room(Shares.Kind.RECORDS, client.placeUse) > 0;
    }

    private void begin(long number, Client client) {
        changing.put(number, client);
        shares.count(Shares.Kind.RECORDS, client, 1);
    }

    /** Returns whether a call may have a record removed: not while too many changes wait. */
    boolean mayForget(Client client) {
        return !mayBeThere(client) || mayChange(client);
    }

    private boolean mayBeThere(Client client) {
        return client.hasRevokedRecord || mayReclaim(client);
    }

    private boolean mayReclaim(Client client) {
        return client.recordNumber != 0 || client.mayHaveRecord || recovery.expects(client.name);
    }

    /** Removes the record of a client that cannot reclaim what it had, and keeps nothing. */
    void forget(Client client) {
        if (mayBeThere(client)) {
            forget(client, null);
        }
    }

    /**
     * Lets a client reclaim nothing that keeps other state. After a restart others must not have
     * that before the client knows, so the server has to know of it (RFC 8881, Section 8.4.2.1).
     */
    void revoke(Client client) {
        if (mayReclaim(client)) {
            forget(client, client.record().revoked());
        }
    }

    private void forget(Client client, ClientRecord revoked) {
        client.recordNumber = 0;
        client.mayHaveRecord = false;
        client.hasRevokedRecord = revoked != null;
        boolean mayHaveState = client.hasState() || recovery.expects(client.name);
        begin(journal.forget(client, revoked, mayHaveState), client);
        recovery.clientLeft(client.name);
    }

    /** A record was written, or removed. */
    void changed(long number) {
        end(number);
    }

    /** Returns the client of a record that does not change any more; null if there is none. */
    private Client end(long number) {
        var client = changing.remove(number);
        if (client != null) {
            shares.count(Shares.Kind.RECORDS, client, -1);
        }
        return client;
    }

    /**
     * @param mayBeThere whether a part of the change may have reached storage
     */
    void failed(long number, boolean mayBeThere) {
        var client = end(number);
        if (client != null && client.recordNumber == number) {
            client.recordNumber = 0;
            client.failedRecord = number;
            client.mayHaveRecord |= mayBeThere;
        }
    }
}
