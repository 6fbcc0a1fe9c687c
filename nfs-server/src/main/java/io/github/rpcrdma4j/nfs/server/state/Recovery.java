package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The grace period after a restart, in which clients reclaim what they had (RFC 8881, Section
 * 8.4.2). Without records of the last boot there is none.
 *
 * <p>Clients of minor version 0 do not say when they are complete, so then only time ends it.
 *
 * <pre>
 *   grace --all clients are complete, or time--> over
 *     ^ \
 *     `--' time, while a client reclaims: twice at most
 * </pre>
 */
final class Recovery {
    private static final int EXTENSIONS_MAX = 2;

    private final Journal journal;
    private final long graceNanos;

    /** The clients that have not completed their recovery yet. Empty once grace is over. */
    private final Map<ClientName, ClientRecord> expected = new HashMap<>();

    /** The same, by what they send. */
    private final Map<ClientOwner, ClientRecord> expectedBySent = new HashMap<>();

    /** Those of them that have reclaimed something and will not say that it was all. */
    private final Set<ClientName> back = new HashSet<>();

    private boolean isGrace;
    private long end;
    private int extensions;
    private long lastReclaim;
    private boolean hasReclaimed;

    Recovery(Collection<ClientRecord> records, StateSettings settings, Journal journal, long now) {
        this.journal = journal;
        this.graceNanos = settings.graceNanos();
        for (var each : records) {
            expected.put(each.name(), each);
            expectedBySent.put(each.sent(), each);
        }
        this.isGrace = !expected.isEmpty();
        this.end = now + graceNanos;
    }

    boolean isGrace() {
        return isGrace;
    }

    boolean expects(ClientName client) {
        return expected.containsKey(client);
    }

    /**
     * Returns the name of a client that has come. A client that had another address before the
     * server restarted, or has several, is known by its verifier.
     */
    ClientName nameOf(ClientOwner sent, Sender sender) {
        var record = expectedBySent.get(sent);
        boolean isKnown =
                record != null
                        && expected.containsKey(record.name())
                        && record.principal().equals(sender.principal());
        return isKnown ? record.name() : new ClientName(sent.name(), sender.placeOfNames());
    }

    /** Returns the records of the clients that have not completed their recovery yet. */
    Collection<ClientRecord> expected() {
        return expected.values();
    }

    /** Returns whether another principal may still come to reclaim what a client had. */
    boolean expectsOther(ClientName client, Principal principal) {
        var record = expected.get(client);
        return record != null && !record.principal().equals(principal);
    }

    /** Ends the grace period if its time has come. */
    void expire(long now) {
        if (!isGrace || now - end < 0) {
            return;
        }
        // A client that is still at it gets more time: half a grace period, twice.
        boolean isBusy = hasReclaimed && now - lastReclaim <= graceNanos / 4;
        if (isBusy && extensions < EXTENSIONS_MAX) {
            extensions++;
            end += graceNanos / 2;
            hasReclaimed = false;
        } else {
            endGrace();
        }
    }

    /** Returns whether a client may get state: OK, GRACE, NO_GRACE or RECLAIM_BAD. */
    Nfs4Status may(Client client, boolean isReclaim) {
        return isReclaim ? mayReclaim(client) : mayAcquire(client);
    }

    private Nfs4Status mayReclaim(Client client) {
        if (!isGrace || client.reclaimComplete) {
            return Nfs4Status.NO_GRACE;
        }
        return isExpected(client) ? Nfs4Status.OK : Nfs4Status.RECLAIM_BAD;
    }

    private boolean isExpected(Client client) {
        var record = expected.get(client.name);
        return record != null && record.principal().equals(client.principal);
    }

    /**
     * Returns whether a client may get new state (RFC 8881, Section 18.51.3). In minor version 0 a
     * client does not say that it is complete.
     */
    private Nfs4Status mayAcquire(Client client) {
        boolean isComplete = client.reclaimComplete || !client.hasSessions;
        return isGrace || !isComplete ? Nfs4Status.GRACE : Nfs4Status.OK;
    }

    /** A client has reclaimed something. */
    void reclaimed(Client client, long now) {
        lastReclaim = now;
        hasReclaimed = true;
        if (!client.hasSessions) {
            back.add(client.name);
        }
    }

    /** A client has reclaimed all that it wants. */
    void complete(Client client) {
        if (isExpected(client)) {
            clientLeft(client.name);
        }
    }

    /** A client of this boot that could reclaim will not do so any more. */
    void clientLeft(ClientName client) {
        expected.remove(client);
        back.remove(client);
        if (isGrace && expected.isEmpty()) {
            endGrace();
        }
    }

    private void endGrace() {
        isGrace = false;
        journal.add(new Action.GraceEnded(expected.size() - back.size()));
        expected.clear();
        expectedBySent.clear();
        back.clear();
        journal.forgetEarlier();
    }
}
