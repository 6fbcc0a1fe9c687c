package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateClient.ATTRIBUTES;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SessionStatus;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: no host and no client takes what the others need. */
class SharesTest {
    private static final long MIB = 1 << 20;
    private static final int CLIENTS = 1000;
    private static final int UNCONFIRMED = 100;

    /** What Linux asks for. */
    private static final ChannelAttributes LINUX =
            new ChannelAttributes(0, 1 << 20, 1 << 20, 7584, 8, 64, OptionalInt.empty());

    private final StateServer server = StateServer.with(limits(16 * MIB, 16 * MIB));

    static StateLimits limits(long sessionBytes, long stateBytes) {
        var some = StateLimits.DEFAULTS;
        return new StateLimits(
                CLIENTS,
                UNCONFIRMED,
                some.courtesyClients(),
                some.courtesyNanos(),
                some.sessionsOfClient(),
                some.connectionsOfSession(),
                sessionBytes,
                some.slotsOfSession(),
                some.messageBytes(),
                some.cachedBytes(),
                some.operations(),
                stateBytes,
                some.opensOfClient(),
                some.delegations(),
                some.locks());
    }

    private StateClient stranger(String host, int number) {
        var client = server.stranger(host + " " + number);
        client.host = new StateServer.TestHost(host);
        return client;
    }

    /** Has a host make clients with a session of one slot until it is refused. */
    private List<StateClient> clientsOf(String host, int most) {
        var clients = new ArrayList<StateClient>();
        var small = new ChannelAttributes(0, 8192, 8192, 0, 16, 1, OptionalInt.empty());
        for (int i = 0; i < most; i++) {
            var client = stranger(host, i);
            client.exchangeId();
            var outcome = client.createSession(client.sequence, small, ATTRIBUTES);
            if (!outcome.isOk()) {
                server.refuses(Nfs4Status.DELAY, outcome);
                return clients;
            }
            client.session = outcome.value().id();
            client.sequence++;
            clients.add(client);
        }
        return clients;
    }

    private void complete(List<StateClient> clients) {
        clients.forEach(each -> server.ok(each.reclaimComplete()));
    }

    /** Has a client open files until it is refused, and returns their number. */
    private int opensOf(StateClient client, Nfs4Status refusal) {
        int opens = 0;
        while (true) {
            var file = new StateServer.TestFile(client.name + " " + opens);
            var outcome = client.open(file, "owner", 1, 0);
            if (!outcome.isOk()) {
                server.refuses(refusal, outcome);
                return opens;
            }
            opens++;
        }
    }

    @Test
    void aHostMayHaveAQuarterOfTheClientsThatTheOthersLeave() {
        assertEquals(250, clientsOf("evil", CLIENTS).size());
        assertEquals(187, clientsOf("other", CLIENTS).size(), "a quarter of 750");
        assertEquals(140, clientsOf("third", CLIENTS).size());
    }

    @Test
    void manyHostsFindRoom() {
        int hosts = 0;
        while (clientsOf("host" + hosts, 10).size() == 10) {
            hosts++;
        }
        assertEquals(CLIENTS / 10, hosts, "small hosts may fill the table");
        assertEquals(CLIENTS, server.state.snapshots().clients(2 * CLIENTS, server.now).size() - 1);
    }

    @Test
    void unconfirmedClientsMakeRoomForThoseOfTheirOwnHost() {
        var honest = stranger("honest", 0);
        honest.exchangeId();
        for (int i = 0; i < 10 * UNCONFIRMED; i++) {
            stranger("evil", i).exchangeId();
        }
        honest.createSession();
        int left = server.state.snapshots().clients(CLIENTS, server.now).size() - 1;
        assertTrue(left <= UNCONFIRMED / 4, "left are " + left);
    }

    @Test
    void aClientThatRestartsTakesTheRoomOfItsEarlierIncarnation() {
        var clients = clientsOf("host", CLIENTS);
        var restarted = stranger("host", 7);
        restarted.verifier = 2;
        restarted.connect();
        assertEquals(
                clients.size(), server.state.snapshots().clients(CLIENTS, server.now).size() - 1);
    }

    @Test
    void expiredClientsMakeRoomForTheirOwnHost() {
        var clients = clientsOf("host", CLIENTS);
        complete(clients);
        clients.forEach(each -> each.open(StateServer.FILE, "owner", 1, 0));
        var next = stranger("host", CLIENTS);
        next.exchangeId();
        server.refuses(Nfs4Status.DELAY, next.createSession(next.sequence));
        server.pass(LEASE + SECOND);
        for (int i = 0; i < 10; i++) {
            server.pass(1);
        }
        var before = clients.getFirst();
        assertTrue(server.hasRecord(before));
        stranger("host", CLIENTS).connect();
        assertFalse(server.hasRecord(before), "the one that has expired first, and its record");
    }

    @Test
    void aClientThatIsBackMakesNoRoomForItself() {
        var client = server.client("client");
        client.open();
        while (client.createSession(client.sequence, LINUX, ATTRIBUTES).isOk()) {
            client.sequence++;
        }
        server.pass(LEASE + SECOND);
        assertTrue(server.state.snapshots().clients(9, server.now).getFirst().isExpired());
        server.refuses(Nfs4Status.DELAY, client.createSession(client.sequence, LINUX, ATTRIBUTES));
        client.renew();
        assertTrue(server.hasRecord(client));
    }

    /** Goal: courtesy is not for those who take it from others. */
    @Test
    void aHostTakesCourtesyFromOthersOnlyWhileItHasLittle() {
        var kept = clientsOf("honest", 200);
        complete(kept);
        kept.forEach(each -> each.open(StateServer.FILE, "owner", 1, 0));
        server.pass(LEASE + SECOND);
        for (int i = 0; i < 10; i++) {
            server.pass(1);
        }
        assertEquals(200, clientsOf("evil", CLIENTS).size(), "a quarter of 800");
        assertTrue(kept.stream().allMatch(server::hasRecord));
    }

    @Test
    void aHostMayHaveAQuarterOfTheMemoryOfSessions() {
        long most = 0;
        for (int i = 0; i < CLIENTS; i++) {
            var client = stranger("evil", i);
            client.exchangeId();
            for (int more = 0; more < 64; more++) {
                var outcome = client.createSession(client.sequence++, LINUX, ATTRIBUTES);
                if (!outcome.isOk()) {
                    server.refuses(Nfs4Status.DELAY, outcome);
                    break;
                }
                var fore = outcome.value().fore();
                most += (long) fore.slots() * fore.cachedMax();
            }
        }
        assertTrue(most > 2 * MIB && most <= 4 * MIB, "kept replies: " + most);
        var honest = stranger("honest", 0);
        honest.exchangeId();
        int slots = server.ok(honest.createSession(1, LINUX, ATTRIBUTES)).fore().slots();
        assertTrue(slots >= 32, "the others have what they need: " + slots);
    }

    @Test
    void aClientMayHaveHalfOfTheMemoryOfSessionsOfItsHost() {
        var one = stranger("nat", 0);
        one.exchangeId();
        long kept = 0;
        var outcome = one.createSession(one.sequence++, LINUX, ATTRIBUTES);
        while (outcome.isOk()) {
            kept += (long) outcome.value().fore().slots() * outcome.value().fore().cachedMax();
            outcome = one.createSession(one.sequence++, LINUX, ATTRIBUTES);
        }
        assertTrue(kept > MIB && kept <= 2 * MIB, "kept replies: " + kept);
        var neighbour = stranger("nat", 1);
        neighbour.exchangeId();
        int slots = server.ok(neighbour.createSession(1, LINUX, ATTRIBUTES)).fore().slots();
        assertTrue(slots >= 16, "slots: " + slots);
    }

    @Test
    void manyClientsBehindOneAddressFindSessions() {
        int clients = 0;
        while (clients < CLIENTS) {
            var client = stranger("nat", clients);
            client.exchangeId();
            var outcome = client.createSession(1, LINUX, ATTRIBUTES);
            if (!outcome.isOk()) {
                break;
            }
            clients++;
        }
        assertTrue(clients >= 100, "clients: " + clients);
    }

    /** Fills the share of a host with clients that have a session as Linux makes it. */
    private List<StateClient> fill(String host, int from) {
        var clients = new ArrayList<StateClient>();
        while (true) {
            var client = stranger(host, from + clients.size());
            client.exchangeId();
            var outcome = client.createSession(client.sequence, LINUX, ATTRIBUTES);
            if (!outcome.isOk()) {
                server.refuses(Nfs4Status.DELAY, outcome);
                return clients;
            }
            client.sequence++;
            client.session = outcome.value().id();
            clients.add(client);
        }
    }

    private SessionStatus session(StateClient client) {
        return server.state.snapshots().sessions(CLIENTS).stream()
                .filter(each -> each.id().equals(client.session))
                .findFirst()
                .orElseThrow();
    }

    /** Goal: RFC 8881, Section 18.35.4: the sessions that it lost are in no client's way. */
    @Test
    void aClientThatRestartsOnAFullHostGetsAsManySlotsAsItHad() {
        var clients = fill("nat", 0);
        var first = clients.getFirst();
        int slots = session(first).slots();
        assertTrue(slots > 1, "slots: " + slots);
        for (int i = 2; i < 10; i++) {
            var restarted = stranger("nat", 0);
            restarted.verifier = i;
            restarted.exchangeId();
            var created = server.ok(restarted.createSession(1, LINUX, ATTRIBUTES));
            assertEquals(slots, created.fore().slots());
            assertEquals(clients.size(), server.state.snapshots().sessions(CLIENTS).size());
        }
        // The others have what they had, and no more fit.
        clients.subList(1, clients.size()).forEach(StateClient::renew);
        var next = stranger("nat", CLIENTS);
        next.exchangeId();
        server.refuses(Nfs4Status.DELAY, next.createSession(1, LINUX, ATTRIBUTES));
    }

    @Test
    void aClientThatRestartsWithoutRoomKeepsWhatItHadUntilThen() {
        var clients = fill("nat", 0);
        var first = clients.getFirst();
        server.ok(first.reclaimComplete());
        first.open();
        server.ok(first.destroySession());
        // Others take the room of that session.
        fill("nat", CLIENTS);
        var restarted = stranger("nat", 0);
        restarted.verifier = 2;
        restarted.exchangeId();
        server.refuses(Nfs4Status.DELAY, restarted.createSession(1, LINUX, ATTRIBUTES));
        assertTrue(server.hasRecord(first));
        assertEquals(1, server.state.snapshots().opens(9).size());
    }

    /** Goal: a full host gets no room by taking the names of clients of another host. */
    @Test
    void aFullHostDoesNotTakeTheRoomOfAClientOfAnotherHost() {
        var victim = stranger("honest", 0);
        victim.exchangeId();
        victim.createSession();
        fill("evil", 0);
        var evil = server.stranger("honest 0");
        evil.host = new StateServer.TestHost("evil");
        evil.verifier = 2;
        evil.exchangeId();
        server.refuses(Nfs4Status.DELAY, evil.createSession(1, LINUX, ATTRIBUTES));
        victim.renew();
    }

    @Test
    void anEndedSessionGivesItsMemoryBack() {
        var client = stranger("host", 0);
        client.exchangeId();
        for (int i = 0; i < 1000; i++) {
            client.createSession();
            server.ok(client.destroySession());
        }
    }

    @Test
    void aClientMayOpenHalfOfWhatItsHostMay() {
        var one = server.client("one");
        int opens = opensOf(one, Nfs4Status.NOSPC);
        assertEquals(2 * MIB / 1029, opens, 2, "half of a quarter of 16 MiB");
        // It cannot open more, but goes on, and so do the others.
        server.refuses(Nfs4Status.NOSPC, one.open(StateServer.FILE, "owner", 1, 0));
        one.renew();
        int next = opensOf(server.client("two"), Nfs4Status.NOSPC);
        assertEquals(MIB / 1029, next, 2);
        var honest = stranger("honest", 0).connect();
        server.ok(honest.reclaimComplete());
        assertTrue(opensOf(honest, Nfs4Status.NOSPC) > MIB / 1029);
    }

    /** A file that is made and not opened would be there when the client tries again. */
    @Test
    void aFullClientIsToldBeforeAFileIsMade() {
        var client = server.client("client");
        assertTrue(client.compound(use -> mayOpen(use, true)).isOk());
        opensOf(client, Nfs4Status.NOSPC);
        server.refuses(Nfs4Status.NOSPC, client.compound(use -> mayOpen(use, true)));
        server.ok(client.compound(use -> mayOpen(use, false)));
    }

    private Outcome<Void> mayOpen(SlotUse use, boolean creates) {
        return server.state.mayOpen(use, false, creates, server.now);
    }

    @Test
    void aFullClientMayWidenAndCloseWhatItHas() {
        var client = server.client("client");
        var open = server.ok(client.open(StateServer.FILE, "owner", 1, 0));
        opensOf(client, Nfs4Status.NOSPC);
        server.ok(client.open(StateServer.FILE, "owner", 2, 0));
        server.ok(client.close(StateServer.FILE, open.withSequence(0)));
        server.ok(client.open(StateServer.OTHER_FILE, "owner", 1, 0));
    }

    /** Many clients of one host cannot open all that the server may keep open. */
    @Test
    void manyClientsOfAHostShareItsOpens() {
        int opens = 0;
        for (int i = 0; i < 30; i++) {
            var client = stranger("evil", i).connect();
            server.ok(client.reclaimComplete());
            var file = new StateServer.TestFile("x");
            while (client.open(file, "owner" + opens, 1, 0).isOk()) {
                opens++;
            }
        }
        assertTrue(opens > 3 * MIB / 1029 && opens <= 4 * MIB / 1029, "opens: " + opens);
        var honest = stranger("honest", 0).connect();
        server.ok(honest.reclaimComplete());
        assertTrue(opensOf(honest, Nfs4Status.NOSPC) > MIB / 1029);
    }

    /** Goal: what others need is taken from those whose leases have expired. */
    @Test
    void expiredOpensGoFirst() {
        var gone = server.client("gone");
        opensOf(gone, Nfs4Status.NOSPC);
        server.pass(LEASE + SECOND);
        assertTrue(server.hasRecord(gone));
        var client = server.client("client");
        assertEquals(2 * MIB / 1029, opensOf(client, Nfs4Status.NOSPC), 2);
        assertFalse(server.hasRecord(gone));
    }

    @Test
    void expiredOpensGoBeforeALockOwnerWaits() {
        var client = server.client("client");
        var open = client.open();
        for (int i = 0; i < 20; i++) {
            var gone = server.client("gone" + i);
            for (int more = 0; more < 10_000; more++) {
                var file = new StateServer.TestFile("file" + i + " " + more);
                if (!gone.open(file, "owner", 1, 0).isOk()) {
                    break;
                }
            }
        }
        server.refuses(Nfs4Status.DELAY, client.lock(open, "locker", LockMode.READ, 0, 1));
        server.pass(LEASE / 2);
        client.renew();
        server.pass(LEASE / 2 + SECOND);
        server.ok(client.lock(open, "locker", LockMode.READ, 0, 1));
    }

    @Test
    void aHostIsForgottenWithItsLastClient() {
        var shares = new Shares(StateLimits.DEFAULTS);
        var sender =
                new Sender(StateServer.ROOT, false, null, new StateServer.TestHost("host"), "");
        var owner = new ClientOwner(1, StateServer.name("client"));
        var clients = new ArrayList<Client>();
        for (int i = 1; i <= 2; i++) {
            var use = shares.join(sender);
            clients.add(
                    new Client(
                            i,
                            i,
                            true,
                            owner,
                            null,
                            server.stranger("client").sender(),
                            Protection.NONE,
                            use,
                            server.now));
        }
        shares.leave(clients.getFirst());
        assertEquals(1, shares.hosts());
        shares.leave(clients.getLast());
        assertEquals(0, shares.hosts());
    }
}
