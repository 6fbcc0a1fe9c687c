package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.ArrayList;

/**
 * Takes state from clients: from one whose lease has expired when another needs it, from one that
 * an administrator ends, and from one that leaves.
 */
final class Revocations implements Clients.Departure {
    private final Clients clients;
    private final Leases leases;
    private final Files files;
    private final FileLocks fileLocks;

    Revocations(Clients clients, Leases leases, Files files, FileLocks fileLocks) {
        this.clients = clients;
        this.leases = leases;
        this.files = files;
        this.fileLocks = fileLocks;
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
        clients.forgetRecord(client);
        takeAll(client, now);
        for (var each : client.states.values()) {
            if (!each.isLost()) {
                each.lost = cause;
                client.held--;
                client.countLost(cause, 1);
            }
        }
    }

    private void takeAll(Client client, long now) {
        fileLocks.forgetWaiters(client, now);
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
            if (each instanceof Open) {
                files.takeOut(each);
            }
        }
        fileLocks.tellWaiters(now);
    }

    @Override
    public void clientLeaves(Client client, long now) {
        takeAll(client, now);
        for (var each : new ArrayList<>(client.states.values())) {
            files.drop(each);
        }
    }
}
