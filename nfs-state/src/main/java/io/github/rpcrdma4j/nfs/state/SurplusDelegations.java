package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;

/**
 * Asks clients with many delegations to return some when there is little room for others
 * (CB_RECALL_ANY: RFC 8881, Section 20.6).
 *
 * <pre>
 *   no room --most of the host--> asked to keep half --in time--> (done)
 *                                    \--lease time--> single ones are recalled --> (done)
 * </pre>
 *
 * <p>A client that does not return these in time either loses them. Minor version 0 has no such
 * call, so its clients come to the last step at once.
 */
final class SurplusDelegations {
    /** How many clients are asked in one event, so that no event takes long. */
    private static final int ASKS_MAX = 4;

    /** How many clients may have been asked and not be done. */
    private static final int ASKED_MAX = 64;

    /** How many delegations one event recalls. */
    private static final int MOVES_MAX = 64;

    /** A client keeps half of what it has. */
    private static final int PART = 2;

    /**
     * What a client was asked for.
     *
     * @param keep how many delegations it may keep
     */
    private record Request(int keep, long asked) {}

    private final long leaseNanos;
    private final Journal journal;
    private final Clients clients;
    private final Evictions evictions;
    private final SequencedMap<Client, Request> requests = new LinkedHashMap<>();

    SurplusDelegations(long leaseNanos, Journal journal, Clients clients, Evictions evictions) {
        this.leaseNanos = leaseNanos;
        this.journal = journal;
        this.clients = clients;
        this.evictions = evictions;
    }

    /**
     * Asks clients of hosts that have found little room, and recalls what others have not returned.
     *
     * @param recall recalls one delegation
     */
    void relieve(Consumer<Delegation> recall, long now) {
        int moves = MOVES_MAX;
        for (var each : List.copyOf(requests.entrySet())) {
            var client = each.getKey();
            var request = each.getValue();
            if (count(client) <= request.keep || client.isRemoved) {
                requests.remove(client);
            } else if (!isCalled(client) || now - request.asked > leaseNanos) {
                moves -= recall(client, count(client) - request.keep, moves, recall);
            }
        }
        evictions
                .takeHostsWithLittle(ASKS_MAX)
                .forEach(host -> most(host).ifPresent(c -> ask(c, now)));
    }

    private static long count(Client client) {
        return client.used(Shares.Kind.DELEGATIONS);
    }

    private static boolean isCalled(Client client) {
        return client.hasSessions && client.canBeCalled();
    }

    /** Returns the client of a host that has the most delegations. */
    private Optional<Client> most(HostCounts host) {
        Client most = null;
        for (var each : clients.all()) {
            if (each.host == host && count(each) >= PART && !requests.containsKey(each)) {
                most = most == null || count(each) > count(most) ? each : most;
            }
        }
        return Optional.ofNullable(most);
    }

    private void ask(Client client, long now) {
        if (requests.size() < ASKED_MAX) {
            int keep = (int) count(client) / PART;
            requests.put(client, new Request(keep, now));
            if (isCalled(client)) {
                journal.add(new Action.RecallAny(client.id, keep));
            }
        }
    }

    /** Recalls some delegations, with those that are recalled already. Returns how many moves. */
    private static int recall(Client client, long surplus, int moves, Consumer<Delegation> recall) {
        int moved = 0;
        long left = surplus;
        for (var each : client.states.values()) {
            if (left == 0 || moved == moves) {
                break;
            }
            if (each instanceof Delegation delegation && delegation.isHeld()) {
                moved += delegation.isRecalled() ? 0 : 1;
                left--;
                recall.accept(delegation);
            }
        }
        return moved;
    }
}
