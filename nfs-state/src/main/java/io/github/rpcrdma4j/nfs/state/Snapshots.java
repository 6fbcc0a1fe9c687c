package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.ClientStatus;
import io.github.rpcrdma4j.nfs.state.event.DelegationStatus;
import io.github.rpcrdma4j.nfs.state.event.HeldCounts;
import io.github.rpcrdma4j.nfs.state.event.LockStatus;
import io.github.rpcrdma4j.nfs.state.event.OpenStatus;
import io.github.rpcrdma4j.nfs.state.event.SessionStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies of the state for administrators, which change nothing. Each has a bound, because the state
 * waits meanwhile.
 *
 * <p>Tests: {@code LeasesTest}, {@code AdministrationTest}.
 */
public final class Snapshots {
    private final Clients clients;
    private final Sessions sessions;
    private final Leases leases;
    private final Files files;
    private final StateIds ids;
    private final Recovery recovery;

    Snapshots(
            Clients clients,
            Sessions sessions,
            Leases leases,
            Files files,
            StateIds ids,
            Recovery recovery) {
        this.clients = clients;
        this.sessions = sessions;
        this.leases = leases;
        this.files = files;
        this.ids = ids;
        this.recovery = recovery;
    }

    /** Returns how much all clients hold, without a look at each file. */
    public HeldCounts counts() {
        int sessionsOfAll = 0;
        int ranges = 0;
        int delegations = 0;
        int copies = 0;
        for (var each : clients.all()) {
            sessionsOfAll += each.sessions.size();
            ranges += each.ranges;
            delegations += (int) each.used(Shares.Kind.DELEGATIONS);
            copies += each.copies.size();
        }
        return new HeldCounts(
                recovery.isGrace(),
                clients.all().size(),
                sessionsOfAll,
                files.opens(),
                ranges,
                delegations,
                copies);
    }

    /** Returns copies of some clients, at most so many. */
    public List<ClientStatus> clients(int max, long now) {
        return clients.all().stream().limit(max).map(each -> status(each, now)).toList();
    }

    /** Returns the records of at most so many clients that may reclaim and are not back yet. */
    public List<ClientRecord> awaited(int max) {
        return clients.awaited(max);
    }

    ClientStatus status(Client client, long now) {
        return new ClientStatus(
                client.id,
                client.owner.name(),
                client.principal,
                client.host.host,
                client.implementation,
                client.isConfirmed,
                now - client.renewed,
                leases.isExpired(client, now),
                client.recordNumber != 0,
                client.reclaimComplete,
                client.sessions.size(),
                client.held,
                client.states.size() - client.held,
                client.ranges);
    }

    /** Returns copies of some sessions, at most so many. */
    public List<SessionStatus> sessions(int max) {
        return sessions.all().stream().limit(max).map(Snapshots::status).toList();
    }

    private static SessionStatus status(Session session) {
        return new SessionStatus(
                session.id,
                session.client.id,
                session.slotCount(),
                session.running,
                session.connections.size(),
                session.back.connections.size(),
                session.back.isUp());
    }

    /** Returns copies of some opens, at most so many. */
    public List<OpenStatus> opens(int max) {
        var copies = new ArrayList<OpenStatus>();
        for (var file : files.all()) {
            for (var each : file.opens.entrySet()) {
                if (copies.size() == max) {
                    return copies;
                }
                var open = each.getValue();
                if (open.access() == 0 && open.deny() == 0) {
                    // A host has locks, and no opens.
                    continue;
                }
                copies.add(
                        new OpenStatus(
                                file.key, each.getKey(), ids.of(open), open.access(), open.deny()));
            }
        }
        return copies;
    }

    /** Returns copies of some delegations, at most so many. */
    public List<DelegationStatus> delegations(int max) {
        var copies = new ArrayList<DelegationStatus>();
        for (var file : files.all()) {
            for (var each : file.delegations.values()) {
                if (copies.size() == max) {
                    return copies;
                }
                copies.add(
                        new DelegationStatus(
                                file.key, each.client.id, each.kind, each.isRecalled()));
            }
        }
        return copies;
    }

    /** Returns copies of some locked ranges, at most so many. */
    public List<LockStatus> locks(int max) {
        var copies = new ArrayList<LockStatus>();
        for (var file : files.all()) {
            for (var owner : file.lockers.keySet()) {
                for (var each : file.locks.of(owner)) {
                    if (copies.size() == max) {
                        return copies;
                    }
                    copies.add(new LockStatus(file.key, each));
                }
            }
        }
        return copies;
    }
}
