package io.github.rpcrdma4j.cli.crowd;

import java.util.Locale;

/** Prints a line per check, and counts failed checks. */
final class Checks {
    private static final long P99_MAX_NANOS = 100_000_000;
    private static final int P99_FACTOR = 10;

    private String run = "";
    private int failed;

    /** Starts a new run. */
    void begin(String name, String what) {
        run = name;
        print(what);
    }

    int failed() {
        return failed;
    }

    /** Prints numbers without checking them. */
    void print(String words) {
        System.out.println(run + "       " + words);
    }

    void check(boolean holds, String words) {
        failed += holds ? 0 : 1;
        System.out.println(run + (holds ? "  ok   " : "  FAIL ") + words);
    }

    /** Checks the latencies of a phase against those of the quiet phase. */
    void pace(String when, HonestClient.Phase phase, HonestClient.Phase quiet) {
        pace(when + ", GETATTR over RDMA", phase.rdma(), quiet.rdma());
        pace(when + ", GETATTR over TCP", phase.tcp(), quiet.tcp());
        newcomers(when + ", newcomers over RDMA", phase.newOverRdma());
        newcomers(when + ", newcomers over TCP", phase.newOverTcp());
        check(
                phase.lost() == 0,
                when + ", connections of the honest client that were lost: " + phase.lost());
        if (!phase.failure().isEmpty()) {
            print(when + ", the last failure: " + phase.failure());
        }
    }

    private void pace(String what, Latencies taken, Latencies quiet) {
        long most = Math.min(P99_FACTOR * quiet.p99(), P99_MAX_NANOS);
        check(
                taken.calls() > 0 && taken.failed() == 0 && taken.p99() <= most,
                String.format(
                        Locale.ROOT,
                        "%s: %s; p99 at most %s",
                        what,
                        taken.words(),
                        Latencies.millis(most)));
    }

    private void newcomers(String what, Latencies taken) {
        check(taken.calls() > 0 && taken.failed() == 0, what + ": " + taken.words());
    }
}
