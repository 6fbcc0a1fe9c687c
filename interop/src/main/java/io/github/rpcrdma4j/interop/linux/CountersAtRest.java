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

    /** Thread pools and the class loader keep a few of these for a while. */
    private static final Map<String, Long> MAY_DIFFER = Map.of("threads", 2L, "descriptors", 2L);

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
