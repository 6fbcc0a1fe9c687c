package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateClient.ATTRIBUTES;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.ArrayList;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/**
 * Goal: no host of a network of IPv6 takes what its neighbors need, though all of them have one
 * share. Method: places of a host, which are such hosts.
 */
class NetworkSharesTest {
    private static final long MIB = 1 << 20;

    /** The share of a network, with the limits of this test. */
    private static final int CLIENTS = 250;

    /** Likewise, of clients without a session. */
    private static final int UNCONFIRMED = 25;

    private static final ChannelAttributes SMALL =
            new ChannelAttributes(0, 8192, 8192, 0, 16, 1, OptionalInt.empty());

    /** What Linux asks for. */
    private static final ChannelAttributes LINUX =
            new ChannelAttributes(0, 1 << 20, 1 << 20, 7584, 8, 64, OptionalInt.empty());

    private final StateServer server = StateServer.with(SharesTest.limits(16 * MIB, 16 * MIB));

    private record Network(boolean isNetwork) implements Host {}

    private StateClient client(Host host, String place, int number) {
        var client = server.stranger(place + " " + number);
        client.host = host;
        client.place = place;
        return client;
    }

    private StateClient neighbor(String place, int number) {
        return client(new Network(true), place, number);
    }

    /** Has a place make clients with a session until it is refused, and returns their number. */
    private int clientsOf(Host host, String place) {
        for (int i = 0; i <= CLIENTS; i++) {
            var client = client(host, place, i);
            client.exchangeId();
            var outcome = client.createSession(client.sequence, SMALL, ATTRIBUTES);
            if (!outcome.isOk()) {
                server.refuses(Nfs4Status.DELAY, outcome);
                return i;
            }
        }
        throw new AssertionError("there is no limit");
    }

    @Test
    void aPlaceLeavesClientsToTheOthers() {
        assertEquals(188, clientsOf(new Network(true), "evil"), "three quarters of 250");
        assertEquals(47, clientsOf(new Network(true), "honest"), "three quarters of 62");
    }

    @Test
    void aHostThatIsNoNetworkMayHaveItsShareAtOnePlace() {
        assertEquals(CLIENTS, clientsOf(new Network(false), "place"));
        assertEquals(0, clientsOf(new Network(false), "other"));
    }

    @Test
    void aPlaceLeavesSessionsToTheOthers() {
        int made = 1;
        for (int i = 0; made > 0; i++) {
            var client = neighbor("evil", i);
            client.exchangeId();
            made = 0;
            while (client.createSession(client.sequence, LINUX, ATTRIBUTES).isOk()) {
                client.sequence++;
                made++;
            }
        }
        var honest = neighbor("honest", 0);
        honest.exchangeId();
        int slots = server.ok(honest.createSession(1, LINUX, ATTRIBUTES)).fore().slots();
        assertTrue(slots >= 8, "slots: " + slots);
    }

    @Test
    void aPlaceLeavesOpensToTheOthers() {
        int opened = 1;
        for (int i = 0; opened > 0; i++) {
            var client = neighbor("evil", i).connect();
            server.ok(client.reclaimComplete());
            opened = 0;
            var file = new StateServer.TestFile(i + " " + opened);
            while (client.open(file, "owner", 1, 0).isOk()) {
                opened++;
                file = new StateServer.TestFile(i + " " + opened);
            }
        }
        var honest = neighbor("honest", 0).connect();
        server.ok(honest.reclaimComplete());
        for (int i = 0; i < 100; i++) {
            server.ok(honest.open(new StateServer.TestFile("honest " + i), "owner", 1, 0));
        }
    }

    @Test
    void unconfirmedClientsMakeRoomForThoseOfTheirOwnPlace() {
        var honest = neighbor("honest", 0);
        honest.exchangeId();
        for (int i = 1; i <= 40 * UNCONFIRMED; i++) {
            neighbor("evil", i).exchangeId();
        }
        honest.createSession();
        int left = server.state.snapshots().clients(1000, server.now).size() - 1;
        assertTrue(left <= UNCONFIRMED, "left are " + left);
    }

    @Test
    void ofPlacesWithEquallyManyUnconfirmedClientsTheOldestMakesRoom() {
        var first = neighbor("place 9", 0);
        first.exchangeId();
        server.pass(1);
        var second = neighbor("place 1", 1);
        second.exchangeId();
        for (int i = 2; i <= UNCONFIRMED; i++) {
            server.pass(1);
            neighbor("another place " + i, i).exchangeId();
        }
        server.refuses(
                Nfs4Status.STALE_CLIENTID, first.createSession(first.sequence, SMALL, ATTRIBUTES));
        second.createSession();
    }

    /** Method: the client of the place with one has expired first. */
    @Test
    void expiredClientsMakeRoomForThoseOfTheirOwnPlace() {
        var host = new Network(false);
        var clients = new ArrayList<StateClient>();
        for (int i = 0; i < CLIENTS; i++) {
            var client = client(host, i == 0 ? "honest" : "evil", i);
            client.exchangeId();
            var made = client.createSession(client.sequence, SMALL, ATTRIBUTES);
            client.session = server.ok(made).id();
            server.ok(client.reclaimComplete());
            clients.add(client);
        }
        clients.forEach(each -> each.open(StateServer.FILE, "owner", 1, 0));
        server.pass(LEASE + SECOND);
        for (int i = 0; i < 10; i++) {
            server.pass(1);
        }
        client(host, "evil", CLIENTS).connect();
        assertTrue(server.hasRecord(clients.getFirst()));
        assertFalse(server.hasRecord(clients.get(1)));
    }
}
