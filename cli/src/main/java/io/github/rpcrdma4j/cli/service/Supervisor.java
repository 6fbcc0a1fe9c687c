package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.linux.UnixDatagram;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What has started this process as a service and waits for its notifications: usually systemd, by
 * the protocol of {@code sd_notify(3)}. All methods do nothing if there is no supervisor.
 * Thread-safe.
 */
final class Supervisor {
    /**
     * Probes go out at this fraction of the time after which the supervisor takes the service for
     * dead, so that one that fails or is late does no harm.
     */
    private static final int PROBES = 3;

    private static final long MICROS_MAX = Duration.ofDays(1).toNanos() / 1000;

    private final Optional<Consumer<String>> notifications;
    private final OptionalLong watchdogMicros;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final FailureLog failures =
            new FailureLog(System.getLogger(Supervisor.class.getName()));

    /** Finds out whether the service does its work. */
    @FunctionalInterface
    interface Probe {
        /**
         * Returns if it does.
         *
         * @param timeout the bound on the probe
         * @throws IOException if it does not, or not in time
         */
        void succeed(Duration timeout) throws IOException, InterruptedException;
    }

    /**
     * Uses a way to notify a supervisor.
     *
     * @param environment the variables that the supervisor has set
     * @param process the id of this process
     */
    Supervisor(
            Optional<Consumer<String>> notifications,
            Map<String, String> environment,
            long process) {
        this.notifications = notifications;
        this.watchdogMicros =
                notifications.isPresent() ? micros(environment, process) : OptionalLong.empty();
    }

    /** Returns the supervisor of this process. */
    static Supervisor ofThisProcess() {
        var environment = System.getenv();
        Optional<Consumer<String>> socket =
                Optional.ofNullable(environment.get("NOTIFY_SOCKET"))
                        .filter(name -> name.startsWith("/") || name.startsWith("@"))
                        .filter(_ -> SystemCalls.missing().isEmpty())
                        .map(name -> text -> send(name, text));
        return new Supervisor(socket, environment, ProcessHandle.current().pid());
    }

    private static void send(String socket, String text) {
        // If it is lost, the supervisor goes by its timeouts.
        UnixDatagram.send(socket, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the time after which the supervisor misses a sign of life of this process. */
    private static OptionalLong micros(Map<String, String> environment, long process) {
        var forOther =
                Optional.ofNullable(environment.get("WATCHDOG_PID"))
                        .filter(pid -> !pid.equals(Long.toString(process)));
        if (forOther.isPresent()) {
            return OptionalLong.empty();
        }
        try {
            long micros = Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", ""));
            return micros > 0 && micros <= MICROS_MAX
                    ? OptionalLong.of(micros)
                    : OptionalLong.empty();
        } catch (NumberFormatException _) {
            return OptionalLong.empty();
        }
    }

    /**
     * Reports that the service takes calls. If the supervisor wants signs of life, each needs a
     * successful probe from now on; without a probe it is told not to wait for any.
     */
    void ready(Optional<Probe> probe) {
        if (notifications.isEmpty()) {
            return;
        }
        if (watchdogMicros.isPresent() && probe.isEmpty()) {
            send("READY=1\nWATCHDOG_USEC=0");
            return;
        }
        send("READY=1");
        if (watchdogMicros.isPresent()) {
            var interval = Duration.ofNanos(watchdogMicros.getAsLong() * 1000 / PROBES);
            Thread.ofPlatform().daemon().name("watchdog").start(() -> watch(probe.get(), interval));
        }
    }

    private void watch(Probe probe, Duration interval) {
        try {
            do {
                try {
                    probe.succeed(interval);
                    send("WATCHDOG=1");
                } catch (IOException | RuntimeException | Error failed) {
                    // Without this thread, the supervisor would end a server that works.
                    failures.report("the server does not answer its own calls", failed);
                }
            } while (!stopping.await(interval.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reports that the service ends. */
    void stopping() {
        stopping.countDown();
        send("STOPPING=1");
    }

    private void send(String text) {
        notifications.ifPresent(socket -> socket.accept(text));
    }
}
