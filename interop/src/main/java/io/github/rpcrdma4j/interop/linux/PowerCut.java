package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Checks that our server frees all resources of a guest that loses its power with a mount in use.
 *
 * @param script the script that uses a mount and asks for the end, with its arguments
 */
record PowerCut(CellRun run, OurServer server, String... script) {
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final List<String> MUST_RETURN =
            List.of("connections", "callsInProgress", "windows", "leases");

    /** Thread pools and the class loader keep a few of these for a while. */
    private static final Map<String, Long> MAY_DIFFER = Map.of("threads", 2L, "descriptors", 2L);

    /**
     * Makes the check.
     *
     * @param kept the counters that need not return yet: state of version 4 keeps its files open
     * @return the counters of before
     */
    Map<String, Long> check(Set<String> kept)
            throws IOException, InterruptedException, GuestException {
        var found = new TreeMap<String, Long>();
        run.check(
                Check.POWER_CUT,
                findings -> {
                    var before = server.counters();
                    found.putAll(before);
                    findings.note("before: " + before);
                    run.guest()
                            .run(
                                    _ -> {
                                        findings.note("in use: " + server.counters());
                                        run.guest().powerOff();
                                    },
                                    LIMIT,
                                    script[0],
                                    Arrays.copyOfRange(script, 1, script.length));
                    expectReturned(findings, before, kept);
                });
        return found;
    }

    /** Expects that the counters return to what they were, but for some. */
    void expectReturned(CellRun.Findings findings, Map<String, Long> before, Set<String> kept)
            throws IOException, InterruptedException {
        var after = settled(before);
        findings.note("after: " + after);
        for (var name : MUST_RETURN) {
            findings.expect(
                    after.get(name).equals(before.get(name)),
                    name + " did not return to " + before.get(name));
        }
        MAY_DIFFER.forEach(
                (name, by) ->
                        findings.expect(
                                kept.contains(name) || after.get(name) <= before.get(name) + by,
                                name + " grew from " + before.get(name)));
    }

    /** Returns the counters, once they are as before or the time limit has passed. */
    private Map<String, Long> settled(Map<String, Long> before)
            throws IOException, InterruptedException {
        long until = System.nanoTime() + LIMIT.toNanos();
        var now = server.counters();
        while (!hasReturned(now, before) && System.nanoTime() < until) {
            now = server.counters();
        }
        return now;
    }

    private static boolean hasReturned(Map<String, Long> now, Map<String, Long> before) {
        return MUST_RETURN.stream().allMatch(name -> now.get(name).equals(before.get(name)));
    }
}
