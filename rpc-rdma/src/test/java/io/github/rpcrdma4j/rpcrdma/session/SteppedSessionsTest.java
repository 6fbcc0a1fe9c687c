package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.sim.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/**
 * Goal: in every order of threads each call has one outcome, no thread waits forever, and nothing
 * leaks. Method: a server and clients whose threads run step by step, in an order that depends on a
 * seed. {@code ./dev/test -Dtest=SteppedSessionsTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dseed=N} repeats one session with a trace. {@code -Dstepped.sessions=10000} sets their number.
 */
class SteppedSessionsTest {
    private static final int SESSIONS = Integer.getInteger("stepped.sessions", 1000);

    /** How many log records report a failed post. */
    private int failedPosts;

    private final List<String> mistakes = new ArrayList<>();
    private final Handler listening =
            new Handler() {
                @Override
                public void publish(LogRecord record) {
                    if (record.getThrown() instanceof SimWorld.FailedPost) {
                        failedPosts++;
                    } else {
                        mistakes.add(record.getMessage() + ": " + record.getThrown());
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @Test
    void endInAnyOrderOfThreads() {
        run(SESSIONS, false);
    }

    /** Many sessions: calls seldom wait for the memory of a reply whose Send is unsignaled. */
    @Test
    void endInAnyOrderWithLittleMemory() {
        run(4 * SESSIONS, true);
    }

    private void run(int sessions, boolean areTight) {
        var log = Logger.getLogger("io.github.rpcrdma4j.rpcrdma");
        log.addHandler(listening);
        // The failures that a session makes on purpose do not go to the console.
        log.setUseParentHandlers(false);
        try {
            SimulatedRuns.of(
                    sessions,
                    (seed, traces) -> {
                        var session = new SteppedSession(seed, areTight);
                        (traces ? session.tracing() : session).run();
                        assertEquals(List.of(), mistakes, "what operators are told");
                        assertTrue(session.failedPosts() >= failedPosts, "none has failed");
                        failedPosts = 0;
                    });
        } finally {
            log.removeHandler(listening);
            log.setUseParentHandlers(true);
        }
    }
}
