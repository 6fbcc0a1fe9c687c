package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.SentOwner;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;

/**
 * The grace period after a restart, in which clients reclaim what they had (RFC 8881, Section
 * 8.4.2). Without records of the last boot there is none.
 *
 * <p>Clients of minor version 0 do not say when they are complete, so then only time ends it.
 *
 * <p>A client whose address has changed stands in for itself: it has the verifier of the record,
 * and reclaims until a client comes from the address of the record. Then it loses all, because
 * other hosts may know the verifier. So its completion does not end the grace period, either. Who
 * knows it may have made a record of its own with it. So if several records have one name and
 * verifier, the first client that comes from the address of any of them ends all that stand in.
 *
 * <pre>
 *   grace --all clients are complete, or time--> over
 *     ^ \
 *     `--' time, while a client reclaims: twice at most
 * </pre>
 */
final class Recovery {
    private static final int EXTENSIONS_MAX = 2;

    private static final SequencedSet<ClientName> NOBODY =
            Collections.unmodifiableSequencedSet(new LinkedHashSet<>());

    private final Journal journal;
    private final long graceNanos;

    /** The clients that have not completed their recovery yet. Empty once grace is over. */
    private final Map<ClientName, ClientRecord> expected = new HashMap<>();

    /** The same, by what they have sent. */
    private final Map<SentOwner, SequencedSet<ClientName>> called = new HashMap<>();

    /** How many of them have each name. */
    private final Map<SentOwner.Name, Integer> names = new HashMap<>();

    /** Those of them whose clients have come from their own addresses. */
    private final Set<ClientName> arrived = new HashSet<>();

    /** That of the records whose clients have come: nobody stands in for these any more. */
    private final Set<SentOwner> settled = new HashSet<>();

    /** The confirmed clients that stand in for others, by what they send. */
    private final Map<SentOwner, Set<Client>> standIns = new HashMap<>();

    /** Those that have reclaimed something and do not say, or not with effect, that it was all. */
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
            var sent = SentOwner.of(each);
            called.computeIfAbsent(sent, _ -> new LinkedHashSet<>()).add(each.name());
            names.merge(sent.name(), 1, Integer::sum);
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

    /** Returns whether any client of a name and a principal is expected. */
    boolean expects(SentOwner.Name name) {
        return names.containsKey(name);
    }

    /**
     * Returns a client that is expected and has sent a verifier; nothing if there is none, or if
     * one of those has come from its own address.
     */
    Optional<ClientName> absent(SentOwner sent) {
        return settled.contains(sent) ? Optional.empty() : expected(sent).stream().findFirst();
    }

    private SequencedSet<ClientName> expected(SentOwner sent) {
        return called.getOrDefault(sent, NOBODY);
    }

    /** Returns the records of the clients that have not completed their recovery yet. */
    Collection<ClientRecord> expected() {
        return expected.values();
    }

    /** Returns the records of the clients that have not come yet, from no address. */
    List<ClientRecord> awaited() {
        return expected.values().stream()
                .filter(each -> !arrived.contains(each.name()))
                .filter(each -> !standIns.containsKey(SentOwner.of(each)))
                .toList();
    }

    /**
     * A client is confirmed.
     *
     * @return the clients that have stood in for it, and lose all that they have
     */
    List<Client> confirmed(Client client) {
        if (client.standsIn) {
            standIns.computeIfAbsent(client.sent(), _ -> new HashSet<>()).add(client);
            return List.of();
        }
        if (!isExpected(client)) {
            return List.of();
        }
        arrived.add(client.name);
        back.remove(client.name);
        var sent = SentOwner.of(expected.get(client.name));
        if (!settled.add(sent)) {
            return List.of();
        }
        // Those that stood in for any of these may have been counted for another one.
        expected(sent).forEach(back::remove);
        return List.copyOf(standIns.getOrDefault(sent, Set.of()));
    }

    /** A client has gone. */
    void departed(Client client) {
        standIns.computeIfPresent(
                client.sent(),
                (_, clients) -> {
                    clients.remove(client);
                    return clients.isEmpty() ? null : clients;
                });
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
        boolean mayIt =
                isExpected(client)
                        ? !expected.get(client.name).isRevoked()
                        : isExpectedElsewhere(client);
        return mayIt ? Nfs4Status.OK : Nfs4Status.RECLAIM_BAD;
    }

    /** It may be any of those that it stands in for, so each of them must be one that reclaims. */
    private boolean isExpectedElsewhere(Client client) {
        var sent = client.sent();
        return client.standsIn
                && absent(sent).isPresent()
                && expected(sent).stream().noneMatch(each -> expected.get(each).isRevoked());
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
            noteBack(client);
        }
    }

    /** A client has reclaimed all that it wants. */
    void complete(Client client) {
        if (client.standsIn) {
            noteBack(client);
        } else if (isExpected(client)) {
            clientLeft(client.name);
        }
    }

    private void noteBack(Client client) {
        if (client.standsIn) {
            absent(client.sent()).ifPresent(back::add);
        } else {
            back.add(client.name);
        }
    }

    /** A client of this boot that could reclaim will not do so any more. */
    void clientLeft(ClientName client) {
        var record = expected.remove(client);
        if (record != null) {
            forgetCalled(SentOwner.of(record), client);
        }
        back.remove(client);
        if (isGrace && expected.isEmpty()) {
            endGrace();
        }
    }

    private void forgetCalled(SentOwner sent, ClientName client) {
        called.computeIfPresent(
                sent,
                (_, clients) -> {
                    clients.remove(client);
                    return clients.isEmpty() ? null : clients;
                });
        names.computeIfPresent(sent.name(), (_, count) -> count == 1 ? null : count - 1);
    }

    private void endGrace() {
        isGrace = false;
        journal.add(new Action.GraceEnded(expected.size() - back.size()));
        expected.clear();
        called.clear();
        names.clear();
        arrived.clear();
        settled.clear();
        standIns.clear();
        back.clear();
        journal.forgetEarlier();
    }
}
