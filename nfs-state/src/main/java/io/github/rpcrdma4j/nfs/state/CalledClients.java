package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SentOwner;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeMap;

/**
 * The confirmed clients by their client owner and principal, and by the place that they call from.
 * Thousands of addresses of one network may send the same, so no question looks at all of them.
 */
final class CalledClients {
    /** So many clients a sender may have heard of without being any of them. */
    static final int HEARD_MAX = 64;

    private static final SequencedSet<Client> NOBODY =
            Collections.unmodifiableSequencedSet(new LinkedHashSet<>());

    private record At(SentOwner sent, String place) {
        @Override
        public int hashCode() {
            return KeyedHash.of(sent.hashCode(), KeyedHash.of(place));
        }
    }

    /** In the order of their confirmation, as all here. */
    private final Map<SentOwner, SequencedSet<Client>> all = new HashMap<>();

    private final Map<SentOwner, SequencedSet<Client>> withSessions = new HashMap<>();

    /** How many have each name. */
    private final Map<SentOwner.Name, Integer> names = new HashMap<>();

    /** Those that a sender at a place is. */
    private final Map<At, TreeMap<Long, Client>> there = new HashMap<>();

    private long last;

    /** Adds a client that is confirmed now. */
    void add(Client client) {
        var sent = client.sent();
        client.confirmation = ++last;
        all.computeIfAbsent(sent, _ -> new LinkedHashSet<>()).add(client);
        if (client.hasSessions) {
            withSessions.computeIfAbsent(sent, _ -> new LinkedHashSet<>()).add(client);
        }
        names.merge(sent.name(), 1, Integer::sum);
        client.places.all().forEach(each -> place(client, sent, each));
        client.places.onChange(each -> place(client, sent, each));
    }

    void remove(Client client) {
        var sent = client.sent();
        remove(all, sent, client);
        remove(withSessions, sent, client);
        names.computeIfPresent(sent.name(), (_, count) -> count == 1 ? null : count - 1);
        client.places.onChange(_ -> {});
        client.places.all().forEach(each -> takeOut(client, new At(sent, each)));
    }

    private static void remove(
            Map<SentOwner, SequencedSet<Client>> clients, SentOwner sent, Client client) {
        clients.computeIfPresent(
                sent,
                (_, those) -> {
                    those.remove(client);
                    return those.isEmpty() ? null : those;
                });
    }

    /** A place may have become one of a client, or may be none of it any more. */
    private void place(Client client, SentOwner sent, String place) {
        var at = new At(sent, place);
        if (client.isNamedAt(place)) {
            there.computeIfAbsent(at, _ -> new TreeMap<>()).put(client.confirmation, client);
        } else {
            takeOut(client, at);
        }
    }

    private void takeOut(Client client, At at) {
        there.computeIfPresent(
                at,
                (_, clients) -> {
                    clients.remove(client.confirmation);
                    return clients.isEmpty() ? null : clients;
                });
    }

    /** Returns the first client that a sender is; null if there is none. */
    Client named(SentOwner sent, Sender sender) {
        var found =
                sender.principal().isClaimed()
                        ? there(sent, sender.place())
                        : all.getOrDefault(sent, NOBODY).stream().findFirst().orElse(null);
        return found != null && found.isNamedBy(sent.owner(), sender) ? found : null;
    }

    private Client there(SentOwner sent, String place) {
        var clients = there.get(new At(sent, place));
        return clients == null ? null : clients.firstEntry().getValue();
    }

    /** Returns the first client with sessions of which a place has not heard. */
    Optional<Client> notHeardAt(SentOwner sent, String place) {
        return withSessions.getOrDefault(sent, NOBODY).stream()
                .limit(HEARD_MAX)
                .filter(each -> !each.places.isHeard(place))
                .findFirst();
    }

    boolean isSent(SentOwner sent) {
        return all.containsKey(sent);
    }

    boolean isCalled(SentOwner.Name name) {
        return names.containsKey(name);
    }
}
