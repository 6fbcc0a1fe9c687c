package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.state.table.KnownHosts;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: a notice is about the host that a look at all hosts would tell, but it looks at few. */
class KnownHostsTest {
    private static final String ADDRESS = "192.0.2.1";

    private static final List<String> NAMES =
            List.of(
                    "a",
                    "A",
                    "a.x",
                    "A.x",
                    "a.X",
                    "a.y",
                    "b",
                    "b.x",
                    ".x",
                    "",
                    ADDRESS,
                    "192",
                    "192.0.2.2");

    private final Set<HostName> there = new LinkedHashSet<>();
    private int looks;
    private final KnownHosts known =
            new KnownHosts(
                    host -> {
                        looks++;
                        return there.contains(host);
                    });

    private static HostName host(String address, String name) {
        return new HostName(address, StateServer.name(name));
    }

    private static HostRestart notice(String name) {
        return new HostRestart(ADDRESS, StateServer.name(name), Set.of());
    }

    private static String text(HostName host) {
        return new String(host.name().bytes()).toLowerCase(Locale.ROOT);
    }

    private static boolean isAlike(String told, String name) {
        return told.contains(".") && name.contains(".")
                ? told.equals(name)
                : told.split("\\.", 2)[0].equals(name.split("\\.", 2)[0]);
    }

    /** Returns what a look at all hosts tells. */
    private Optional<HostName> meant(String name) {
        var at = there.stream().filter(each -> each.address().equals(ADDRESS)).toList();
        if (at.contains(host(ADDRESS, name))) {
            return Optional.of(host(ADDRESS, name));
        }
        var told = name.toLowerCase(Locale.ROOT);
        var fitting =
                at.stream()
                        .filter(each -> told.equals(ADDRESS) || isAlike(told, text(each)))
                        .toList();
        return fitting.size() == 1 ? Optional.of(fitting.getFirst()) : Optional.empty();
    }

    @Test
    void aNoticeIsAboutTheHostThatAListTells() {
        int found = 0;
        var seeds = Seeds.many(Integer.getInteger("seeds", 200)).toArray();
        for (long seed : seeds) {
            found += new KnownHostsTest().compare(seed);
        }
        assertTrue(found > 10 * seeds.length, "hosts were found: " + found);
    }

    /** Returns how many notices were about a host. */
    private int compare(long seed) {
        var random = new Random(seed);
        int found = 0;
        for (int step = 0; step < 100; step++) {
            var address = random.nextInt(4) > 0 ? ADDRESS : "192.0.2.2";
            var host = host(address, NAMES.get(random.nextInt(NAMES.size())));
            switch (random.nextInt(4)) {
                case 0 -> {
                    there.add(host);
                    known.add(host);
                }
                case 1 -> {
                    // It leaves, but may come back.
                    known.leave(host);
                }
                case 2 -> {
                    there.remove(host);
                    known.leave(host);
                }
                default -> {
                    // Its time to come back is over: that is not told.
                    there.remove(host);
                }
            }
            for (var name : NAMES) {
                var meant = known.meant(notice(name));
                assertEquals(meant(name), meant, "seed=" + seed + " step=" + step + " " + name);
                found += meant.isPresent() ? 1 : 0;
            }
        }
        return found;
    }

    @Test
    void aNameThatNoHostMayHaveIsAboutNone() {
        there.add(host(ADDRESS, "a"));
        known.add(host(ADDRESS, "a"));
        assertEquals(Optional.empty(), known.meant(notice("b".repeat(1024))));
    }

    /** Each notice would look at all, under the lock of the state. */
    @Test
    void aNoticeLooksAtFewOfManyHosts() {
        var names = new ArrayList<String>();
        for (int i = 0; i < 2000; i++) {
            names.add("host" + i);
            names.add("same.x" + i);
        }
        for (var each : names) {
            there.add(host(ADDRESS, each));
            known.add(host(ADDRESS, each));
        }
        for (var each : List.of("none", "host7", "HOST7.domain", "same", "same.x7", ADDRESS)) {
            looks = 0;
            assertEquals(meant(each), known.meant(notice(each)), each);
            assertTrue(looks <= 4, looks + " looks for " + each);
        }
        // Those that have gone are looked at once.
        there.clear();
        known.meant(notice("same"));
        looks = 0;
        assertEquals(Optional.empty(), known.meant(notice("same")));
        assertEquals(0, looks);
    }
}
