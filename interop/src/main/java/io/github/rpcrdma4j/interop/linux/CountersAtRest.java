package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks that the counters of our server return to what they were. */
record CountersAtRest(OurServer server) {
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final List<String> MUST_RETURN =
            List.of("connections", "callsInProgress", "windows", "buffers");

    private static final String THREADS = "threads";

    /** Thread pools and the class loader keep a few of these for a while. */
    private static final Map<String, Long> MAY_DIFFER = Map.of(THREADS, 2L, "descriptors", 2L);

    /** Expects that the counters return to what they were, but for some. */
    void expectReturned(CellRun.Findings findings, Map<String, Long> before, Set<String> kept)
            throws IOException, InterruptedException {
        var after = settled(before, kept);
        findings.note("after: " + after);
        for (var name : after.keySet()) {
            findings.expect(
                    hasReturned(name, after, before, kept),
                    "%s is %d, and was %d".formatted(name, after.get(name), before.get(name)));
        }
        if (!hasReturned(THREADS, after, before, kept)) {
            findings.note("threads: " + server.threads());
        }
    }

    /**
     * Returns the counters, once they are as before or the time limit has passed. Threads of pools
     * and descriptors end when they were idle for half a minute, so a server that has just worked
     * has more of them than one that has not.
     */
    private Map<String, Long> settled(Map<String, Long> before, Set<String> kept)
            throws IOException, InterruptedException {
        long until = System.nanoTime() + LIMIT.toNanos();
        var now = server.counters();
        while (!hasReturned(now, before, kept) && System.nanoTime() < until) {
            now = server.counters();
        }
        return now;
    }

    private static boolean hasReturned(
            Map<String, Long> now, Map<String, Long> before, Set<String> kept) {
        return now.keySet().stream().allMatch(name -> hasReturned(name, now, before, kept));
    }

    private static boolean hasReturned(
            String name, Map<String, Long> now, Map<String, Long> before, Set<String> kept) {
        if (MUST_RETURN.contains(name)) {
            return now.get(name).equals(before.get(name));
        }
        var more = MAY_DIFFER.get(name);
        return more == null || kept.contains(name) || now.get(name) <= before.get(name) + more;
    }
}
