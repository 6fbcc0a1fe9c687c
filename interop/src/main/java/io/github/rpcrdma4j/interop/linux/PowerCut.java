package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
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
                    new CountersAtRest(server).expectReturned(findings, before, kept);
                });
        return found;
    }
}
