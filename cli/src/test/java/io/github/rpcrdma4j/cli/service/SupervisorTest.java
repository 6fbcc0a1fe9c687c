package io.github.rpcrdma4j.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Goal: systemd hears the truth. Method: the notifications, as texts. */
class SupervisorTest {
    private static final long PROCESS = 4711;
    private static final int END_SECONDS = 30;
    private static final String QUARTER_SECOND = "250000";

    private final LinkedBlockingQueue<String> sent = new LinkedBlockingQueue<>();

    private Supervisor supervisor(Map<String, String> environment) {
        return new Supervisor(Optional.of(sent::add), environment, PROCESS);
    }

    private String next() throws InterruptedException {
        return sent.poll(END_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void saysWhenTheServiceIsReadyAndWhenItStops() throws Exception {
        var supervisor = supervisor(Map.of());
        supervisor.ready(Optional.of(_ -> {}));
        supervisor.stopping();
        assertEquals("READY=1", next());
        assertEquals("STOPPING=1", next());
        assertNull(sent.poll());
    }

    @Test
    void givesASignOfLifeOnlyAfterASuccessfulProbe() throws Exception {
        var works = new AtomicBoolean();
        var tried = new SynchronousQueue<Duration>();
        var supervisor = supervisor(Map.of("WATCHDOG_USEC", QUARTER_SECOND));
        supervisor.ready(
                Optional.of(
                        timeout -> {
                            tried.put(timeout);
                            if (!works.get()) {
                                throw new IOException("no answer");
                            }
                        }));
        assertEquals("READY=1", next());
        var timeout = tried.poll(END_SECONDS, TimeUnit.SECONDS);
        assertTrue(timeout.toMillis() < 250, timeout::toString);
        tried.poll(END_SECONDS, TimeUnit.SECONDS);
        assertNull(sent.poll());
        works.set(true);
        tried.poll(END_SECONDS, TimeUnit.SECONDS);
        assertEquals("WATCHDOG=1", next());
        supervisor.stopping();
    }

    /** Goal: a probe that finds no memory once is not the last one. */
    @Test
    void goesOnAfterAProbeThatThrows() throws Exception {
        var thrown = new LinkedBlockingQueue<Throwable>();
        thrown.add(new OutOfMemoryError("test"));
        thrown.add(new StackOverflowError("test"));
        thrown.add(new IllegalStateException("test"));
        var supervisor = supervisor(Map.of("WATCHDOG_USEC", QUARTER_SECOND));
        supervisor.ready(
                Optional.of(
                        _ -> {
                            switch (thrown.poll()) {
                                case null -> {}
                                case Error error -> throw error;
                                case RuntimeException broken -> throw broken;
                                case Throwable other -> throw new AssertionError(other);
                            }
                        }));
        assertEquals("READY=1", next());
        assertEquals("WATCHDOG=1", next());
        assertEquals(0, thrown.size());
        supervisor.stopping();
    }

    @Test
    void asksForNoWatchdogIfThereIsNoProbe() throws Exception {
        supervisor(Map.of("WATCHDOG_USEC", QUARTER_SECOND)).ready(Optional.empty());
        assertEquals("READY=1\nWATCHDOG_USEC=0", next());
    }

    @Test
    void leavesTheWatchdogOfAnotherProcessAlone() throws Exception {
        supervisor(Map.of("WATCHDOG_USEC", QUARTER_SECOND, "WATCHDOG_PID", "1"))
                .ready(Optional.empty());
        assertEquals("READY=1", next());
    }

    @Test
    void takesATimeThatIsNoneForNone() throws Exception {
        for (var time : new String[] {"", "0", "-1", "x", "9223372036854775807"}) {
            supervisor(Map.of("WATCHDOG_USEC", time)).ready(Optional.empty());
            assertEquals("READY=1", next(), time);
        }
    }

    @Test
    void isSilentWithoutASupervisor() {
        var none =
                new Supervisor(Optional.empty(), Map.of("WATCHDOG_USEC", QUARTER_SECOND), PROCESS);
        none.ready(Optional.empty());
        none.stopping();
    }
}
