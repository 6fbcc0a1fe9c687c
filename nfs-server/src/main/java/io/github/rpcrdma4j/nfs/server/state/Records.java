package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whether clients have their records on stable storage. A client gets nothing that needs a record
 * before the record is there.
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
     * How many records may be in writing, so that storage which hangs collects no more. {@link
     * Shares} says how many of one host.
     */
    static final int WRITING_MAX = 1024;

    private final Journal journal;
    private final Shares shares;

    /** The clients whose records are in writing, by the numbers of the changes. */
    private final Map<Long, Client> writing = new HashMap<>();

    Records(Journal journal, Shares shares) {
        this.journal = journal;
        this.shares = shares;
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
            if (shares.room(Shares.Kind.RECORDS, client.host) == 0) {
                return Optional.of(journal.refused(Nfs4Status.DELAY));
            }
            client.recordNumber = journal.persist(client.record());
            writing.put(client.recordNumber, client);
            shares.count(Shares.Kind.RECORDS, client, 1);
        }
        if (!writing.containsKey(client.recordNumber)) {
            return Optional.empty();
        }
        use.awaitedRecord = client.recordNumber;
        return Optional.of(journal.postponed(client));
    }

    void written(long number) {
        end(number);
    }

    /** Returns the client of a record that is not in writing any more; null if there is none. */
    private Client end(long number) {
        var client = writing.remove(number);
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
