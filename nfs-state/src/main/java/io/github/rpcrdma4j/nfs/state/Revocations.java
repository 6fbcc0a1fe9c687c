package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.ArrayList;

/**
 * Takes state from clients: from one whose lease has expired, its locks at once and the rest when
 * another needs it; from one that an administrator ends; and from one that leaves.
 *
 * <p>Tests: {@code LeasesTest}, {@code RevokedRecordsTest}.
 */
final class Revocations implements Clients.Departure {
    /** How many clients one event looks at, so that no event takes long. */
    private static final int MOVES_MAX = 64;

    private final Clients clients;
    private final Leases leases;
    private final Files files;
    private final PendingLocks pendingLocks;

    Revocations(Clients clients, Leases leases, Files files, PendingLocks pendingLocks) {
        this.clients = clients;
        this.leases = leases;
        this.files = files;
        this.pendingLocks = pendingLocks;
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
        clients.noteLoss(client, Action.Loss.of(cause), client.held);
        clients.forgetRecord(client, false);
        takeAll(client, now);
        for (var each : client.states.values()) {
            if (!each.isLost()) {
                lose(each, cause);
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
        clients.forgetRecord(client, client.held > 1);
        if (!client.hasSessions) {
            // Minor version 0 cannot free a stateid. The client learns of it by BAD_STATEID.
            files.end(delegation);
            return;
        }
        files.takeOut(delegation);
        lose(delegation, Nfs4Status.DELEG_REVOKED);
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
                clients.forgetRecord(each.client, each.client.held > 1);
                lose(each, Nfs4Status.ADMIN_REVOKED);
            }
        }
        pendingLocks.tellFreed(now);
        return held.size();
    }

    /**
     * Takes the state of expired clients that are in the way of others that wait; the next event
     * goes on, if there are many.
     */
    void makeWay(long now) {
        for (int moves = 0; moves < MOVES_MAX; moves++) {
            var id = pendingLocks.takeInTheWay();
            if (id == null) {
                return;
            }
            var client = clients.find(id, now);
            if (client != null && isExpired(client, now)) {
                revoke(client, Nfs4Status.EXPIRED, now);
            }
        }
    }

    private void takeAll(Client client, long now) {
        pendingLocks.forget(client, now);
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
        pendingLocks.tellFreed(now);
    }

    /**
     * The locks of the client go, and it keeps the rest. Unlike with another client, the server
     * does not see that a process of its machine needs them: the kernel just refuses the process.
     * The client does not get them back by itself either: nothing tells whether a process has had
     * them meanwhile.
     */
    @Override
    public void leaseExpires(Client client, long now) {
        takeLocks(client, now);
    }

    /** Takes the locks of a client whose lease has expired, also before its turn to expire. */
    void takeLocks(Client client, long now) {
        if (client.ranges == 0) {
            return;
        }
        if (!client.hasSessions) {
            // Minor version 0 cannot free a stateid, so it starts anew.
            revoke(client, Nfs4Status.EXPIRED, now);
            return;
        }
        var lockers =
                client.states.values().stream()
                        .filter(each -> !each.isLost())
                        .filter(Revocations::hasRanges)
                        .toList();
        clients.noteLoss(client, Action.Loss.LOCKS_EXPIRED, lockers.size());
        // The opens stay.
        clients.forgetRecord(client, true);
        // A COMPOUND that asks the kernel has seen to the record that is forgotten now.
        client.states.values().forEach(files::postponeLocks);
        for (var each : lockers) {
            files.takeOut(each);
            lose(each, Nfs4Status.EXPIRED);
        }
        pendingLocks.tellFreed(now);
    }

    private static boolean hasRanges(State state) {
        return state instanceof Locker locker && state.file.locks.isOwner(locker.owner);
    }

    private static void lose(State state, Nfs4Status cause) {
        state.lost = cause;
        state.client.held--;
        state.client.countLost(cause, 1);
    }

    @Override
    public void clientLeaves(Client client, long now) {
        takeAll(client, now);
        for (var each : new ArrayList<>(client.states.values())) {
            files.drop(each);
        }
    }
}
