package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: what a file counts of its opens is what a look at all of them would tell. */
class OpenFileTest {
    private static final int STEPS = 20_000;

    private final StateServer server = StateServer.start();
    private final List<Client> clients = IntStream.range(1, 4).mapToObj(this::client).toList();

    private Client client(int number) {
        var sender = server.stranger("client").sender();
        var owner = new ClientOwner(number, StateServer.name("client"));
        var place = new PlaceCounts(new HostCounts(sender.host()), sender.place());
        return new Client(
                number, number, true, owner, null, sender, Protection.NONE, place, server.now);
    }

    private static boolean excludes(List<Open> opens, DelegationKind kind, Client own) {
        return opens.stream()
                .anyMatch(
                        each ->
                                switch (kind) {
                                    case READ ->
                                            each.mayWrite()
                                                    || each.client != own && each.deny() != 0;
                                    case WRITE -> each.client != own;
                                });
    }

    /** Returns the clients of all opens but one that conflict with a use. */
    private static Set<Client> inTheWay(List<Open> opens, int access, int deny, Open own) {
        return opens.stream()
                .filter(each -> each != own)
                .filter(each -> (access & each.deny()) != 0 || (deny & each.access()) != 0)
                .map(each -> each.client)
                .collect(Collectors.toSet());
    }

    /** Opens that come, become wider or narrower, and go, of three clients. */
    @Test
    void opensExcludeOthersByTheirCounts() {
        long seed = System.nanoTime();
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var file = new OpenFile(FILE);
        var opens = new ArrayList<Open>();
        for (int step = 0; step < STEPS; step++) {
            boolean isNew = opens.isEmpty() || random.nextInt(100) < 30 && opens.size() < 6;
            int access = 1 + random.nextInt(3);
            int deny = random.nextInt(3) == 0 ? random.nextInt(4) : 0;
            if (isNew) {
                var client = clients.get(random.nextInt(3));
                var open = new Open(client, file, step, StateServer.name("owner" + step));
                open.add(access, deny);
                opens.add(open);
                file.count(open, 1);
            } else {
                var open = opens.get(random.nextInt(opens.size()));
                file.count(open, -1);
                switch (random.nextInt(4)) {
                    case 0 -> open.add(access, deny);
                    case 1 -> open.narrow(access, deny);
                    case 2 -> open.takeBack();
                    default -> opens.remove(open);
                }
                if (opens.contains(open)) {
                    file.count(open, 1);
                }
            }
            var own = opens.isEmpty() ? null : opens.get(random.nextInt(opens.size()));
            var exempt = random.nextBoolean() ? own : null;
            var inTheWay = inTheWay(opens, access, deny, exempt);
            assertEquals(inTheWay, Set.copyOf(file.inTheWay(access, deny, exempt)), "step " + step);
            assertEquals(!inTheWay.isEmpty(), file.conflicts(access, deny, exempt), "step " + step);
            requireKept(file, inTheWay, clients.get(random.nextInt(3)), access, deny, exempt);
            for (var kind : DelegationKind.values()) {
                for (var client : clients) {
                    assertEquals(
                            excludes(opens, kind, client),
                            file.excludes(kind, client),
                            "step " + step);
                }
            }
        }
    }

    /** Clients but one make way, and the one that does not is found at once the next time. */
    private static void requireKept(
            OpenFile file, Set<Client> inTheWay, Client stays, int access, int deny, Open own) {
        boolean isKept = inTheWay.contains(stays);
        var asked = new ArrayList<Client>();
        Predicate<Client> makesWay =
                client -> {
                    asked.add(client);
                    return client != stays;
                };
        assertEquals(isKept, file.isKeptByOthers(access, deny, own, makesWay));
        if (isKept) {
            asked.clear();
            file.isKeptByOthers(access, deny, own, makesWay);
            assertEquals(List.of(stays), asked);
        } else {
            assertEquals(inTheWay, Set.copyOf(asked));
        }
    }
}
