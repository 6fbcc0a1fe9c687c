package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.ArrayList;

/**
 * Takes state from clients: from one whose lease has expired when another needs it, from one that
 * an administrator ends, and from one that leaves.
 */
final class Revocations implements Clients.Departure {
    /** How many clients one event looks at, so that no event takes long. */
    private static final int MOVES_MAX = 64;

    private final Clients clients;
    private final Leases leases;
    private final Files files;
    private final Turns turns;

    Revocations(Clients clients, Leases leases, Files files, Turns turns) {
        this.clients = clients;
        this.leases = leases;
        this.files = files;
        this.turns = turns;
    }

    boolean isExpired(Client client, long now) {
        return leases.isExpired(client, now);
    }

    /**
     * Takes all state of a client: after a restart it could not tell what it lost, so it must not
     * reclaim anything. Its record goes first. The client learns of it by SEQUENCE, and frees each
     * stateid.
     *
     * @param cause EXPIRED or ADMIN_REVOKED
     */
    void revoke(Client client, Nfs4Status cause, long now) {
        if (client.held == 0) {
            return;
        }
        clients.noteLoss(client, Action.Loss.of(cause));
        clients.forgetRecord(client);
        takeAll(client, now);
        for (var each : client.states.values()) {
            if (!each.isLost()) {
                each.lost = cause;
                client.held--;
                client.countLost(cause, 1);
            }
        }
        if (client.isHost) {
            // No call would tell it what it has lost.
            clients.depart(client, now);
        }
    }

    /**
     * Takes a delegation from a client that has not returned it in time. Until the client has a
     * record again, it cannot reclaim anything: by then it knows what it lost.
     */
    void revoke(Delegation delegation) {
        var client = delegation.client;
        clients.noteTaken(delegation);
        clients.forgetRecord(client);
        if (!client.hasSessions) {
            // Minor version 0 cannot free a stateid. The client learns of it by BAD_STATEID.
            files.end(delegation);
            return;
        }
        files.takeOut(delegation);
        delegation.lost = Nfs4Status.DELEG_REVOKED;
        client.held--;
        client.countLost(Nfs4Status.DELEG_REVOKED, 1);
    }

    /**
     * Takes the state of all clients at the files of a store, and lets them get no more. Until a
     * client has a record again, it cannot reclaim anything: by then it knows what it lost. A host
     * keeps its record, for what it has of other files.
     *
     * @return how much was taken
     */
    int revoke(Object store, long now) {
        files.refuse(store);
        var held = new ArrayList<State>();
        for (var file : files.all()) {
            if (file.key.store().equals(store)) {
                file.opens.values().forEach(open -> held.addAll(open.lockers.values()));
                held.addAll(file.delegations.values());
                held.addAll(file.opens.values());
            }
        }
        for (var each : held) {
            files.takeOut(each);
            if (each.client.isHost || !each.client.hasSessions) {
                // Such a client cannot free a stateid.
                files.drop(each);
            } else {
                clients.forgetRecord(each.client);
                each.lost = Nfs4Status.ADMIN_REVOKED;
                each.client.held--;
                each.client.countLost(Nfs4Status.ADMIN_REVOKED, 1);
            }
        }
        turns.tellFreed(now);
        return held.size();
    }

    /**
     * Takes the state of expired clients that are in the way of others that wait; the next event
     * goes on, if there are many.
     */
    void makeWay(long now) {
        for (int moves = 0; moves < MOVES_MAX; moves++) {
            var id = turns.takeInTheWay();
            if (id == null) {
                return;
            }
            var client = clients.find(id, now);
            if (client != null && isExpired(client, now)) {
                revoke(client, Nfs4Status.EXPIRED, now);
            }
        }
    }

    /**
     * Takes the state of a client with locks of a file whose lease has expired: of the host that
     * needs room, or of any host if that one has little of the file.
     */
    void makeRoom(OpenFile file, HostUse host, boolean hasLittle, long now) {
        file.ranges.clients().stream()
                .filter(each -> each.host == host || hasLittle)
                .filter(each -> each.ranges > 0 && isExpired(each, now))
                .findFirst()
                .ifPresent(each -> revoke(each, Nfs4Status.EXPIRED, now));
    }

    private void takeAll(Client client, long now) {
        turns.forget(client, now);
        var held = new ArrayList<State>(client.held);
        for (var each : client.states.values()) {
            if (!each.isLost()) {
                held.add(each);
            }
        }
        for (var each : held) {
            if (each instanceof Locker) {
                files.takeOut(each);
            }
        }
        for (var each : held) {
            if (!(each instanceof Locker)) {
                files.takeOut(each);
            }
        }
        turns.tellFreed(now);
    }

    /** Those that wait for locks of the client need not wait any more. */
    @Override
    public void leaseExpires(Client client, long now) {
        for (var each : client.states.values()) {
            if (each instanceof Locker && !each.isLost() && each.file.waiters.size() > 0) {
                turns.free(each.file);
            }
        }
        turns.tellFreed(now);
    }

    @Override
    public void clientLeaves(Client client, long now) {
        takeAll(client, now);
        for (var each : new ArrayList<>(client.states.values())) {
            files.drop(each);
        }
    }
}
