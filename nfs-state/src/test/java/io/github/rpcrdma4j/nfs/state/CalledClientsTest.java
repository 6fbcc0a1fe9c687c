package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SentOwner;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: who a sender is follows as if all clients were looked at, in the order in which they came.
 */
class CalledClientsTest {
    private static final int STEPS = 200;

    private static final List<Principal> PRINCIPALS =
            List.of(StateServer.ROOT, StateServer.OTHER, new Principal("krb5:nfs/host@REALM"));

    private final StateServer server = StateServer.start();
    private final CalledClients called = new CalledClients();
    private long last;

    private ClientOwner owner(int name, int verifier) {
        return new ClientOwner(verifier, StateServer.name("client" + name));
    }

    private Sender sender(int principal, int place) {
        return new Sender(
                PRINCIPALS.get(principal),
                false,
                null,
                new StateServer.TestHost("host"),
                "place" + place);
    }

    private Client client(ClientOwner owner, boolean hasSessions, Sender maker) {
        var place = new PlaceCounts(new HostCounts(maker.host()), maker.place());
        last++;
        return new Client(
                last,
                (int) last,
                hasSessions,
                owner,
                null,
                maker,
                Protection.NONE,
                place,
                server.now);
    }

    private static boolean isNamed(Client client, ClientOwner sent, Sender sender) {
        boolean isProven = !sender.principal().isClaimed();
        boolean isHeard = !client.hasSessions && client.places.isHeard(sender.place());
        return client.hasSent(sent, sender)
                && (client.places.contain(sender.place()) || isHeard || isProven);
    }

    @Test
    void aSenderIsTheFirstClientThatAListTells() {
        var seeds = Seeds.many(Integer.getInteger("seeds", 100)).toArray();
        int named = 0;
        for (long seed : seeds) {
            named += new CalledClientsTest().compare(seed);
        }
        assertTrue(named > 10 * seeds.length, "clients were found: " + named);
    }

    /** Returns how often a sender was a client. */
    private int compare(long seed) {
        var random = new Random(seed);
        var list = new ArrayList<Client>();
        int count = 0;
        for (int step = 0; step < STEPS; step++) {
            var any = list.isEmpty() ? null : list.get(random.nextInt(list.size()));
            // More places than a client remembers.
            var place = "place" + random.nextInt(20);
            int choice = random.nextInt(10);
            if (any == null || choice < 2 && list.size() < 12) {
                var owner = owner(random.nextInt(2), random.nextInt(2));
                var maker = sender(random.nextInt(3), random.nextInt(20));
                any = client(owner, random.nextBoolean(), maker);
                any.places.hear("place0");
                list.add(any);
                called.add(any);
            } else if (choice < 3) {
                list.remove(any);
                called.remove(any);
                // A call in progress may still use it.
                any.places.add(place);
            } else if (choice < 7) {
                any.places.add(place);
            } else {
                any.places.hear(place);
            }
            count += compare(list, random, "seed=" + seed + " step=" + step);
        }
        return count;
    }

    private int compare(List<Client> list, Random random, String where) {
        var sent = owner(random.nextInt(2), random.nextInt(2));
        var sender = sender(random.nextInt(3), random.nextInt(20));
        var known = new SentOwner(sent, sender.principal());
        var all = list.stream().filter(each -> each.hasSent(sent, sender)).toList();
        var first = all.stream().filter(each -> isNamed(each, sent, sender)).findFirst();
        assertEquals(
                all.stream()
                        .filter(each -> each.hasSessions)
                        .filter(each -> !each.places.isHeard(sender.place()))
                        .findFirst(),
                called.notHeardAt(known, sender.place()),
                where);
        assertEquals(!all.isEmpty(), called.isSent(known), where);
        assertEquals(
                list.stream()
                        .filter(each -> each.owner.name().equals(sent.name()))
                        .anyMatch(each -> each.principal.equals(sender.principal())),
                called.isCalled(known.name()),
                where);
        // The client of a proven principal gets to know its address.
        assertEquals(first, Optional.ofNullable(called.named(known, sender)), where);
        return first.isPresent() ? 1 : 0;
    }

    /** Each of them has a session by now, and would be looked at each time. */
    @Test
    void aSenderHearsOfFewClientsThatItIsNot() {
        var owner = owner(0, 0);
        var sender = sender(0, 0);
        for (int i = 1; i <= 2 * CalledClients.HEARD_MAX; i++) {
            called.add(client(owner, true, sender(0, i)));
        }
        var known = new SentOwner(owner, sender.principal());
        int heard = 0;
        for (var next = called.notHeardAt(known, sender.place());
                next.isPresent();
                next = called.notHeardAt(known, sender.place())) {
            next.get().places.hear(sender.place());
            heard++;
        }
        assertEquals(CalledClients.HEARD_MAX, heard);
    }
}
