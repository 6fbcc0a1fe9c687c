package io.github.rpcrdma4j.nfs.server.export;

import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Periodically looks up the host names of exports again. It uses its own thread, so that a resolver
 * without an answer delays no call.
 */
public final class HostNames implements AutoCloseable {
    /** The time between the end of one round of lookups and the start of the next. */
    static final Duration PERIOD = Duration.ofMinutes(5);

    private static final Logger LOG = System.getLogger(HostNames.class.getName());
    private static final FailureLog FAILURES = new FailureLog(LOG);

    private final List<NamedHost> hosts;
    private final Duration period;
    private final CountDownLatch closed = new CountDownLatch(1);

    private HostNames(List<NamedHost> hosts, Duration period) {
        this.hosts = hosts;
        this.period = period;
    }

    /** Starts to look up the host names in the rules of these exports; ends when closed. */
    public static HostNames of(Collection<Export> exports) {
        return of(exports, PERIOD);
    }

    /** Starts lookups with another period; for tests. */
    static HostNames of(Collection<Export> exports, Duration period) {
        var hosts =
                exports.stream()
                        .flatMap(export -> export.rules().stream())
                        .map(ExportRule::clients)
                        .filter(NamedHost.class::isInstance)
                        .map(NamedHost.class::cast)
                        .toList();
        var names = new HostNames(hosts, period);
        if (!hosts.isEmpty()) {
            Thread.ofPlatform().name("nfs-host-names").daemon().start(names::run);
        }
        return names;
    }

    private void run() {
        try {
            while (!closed.await(period.toNanos(), TimeUnit.NANOSECONDS)) {
                for (var host : hosts) {
                    refresh(host);
                }
            }
        } catch (InterruptedException _) {
            // The thread belongs to this object, so an interrupt ends it.
        }
    }

    /** Looks up one name. A failure does not prevent lookups of other names or later lookups. */
    private static void refresh(NamedHost host) {
        try {
            switch (host.refresh(System.nanoTime())) {
                case NONE -> {}
                case OTHERS ->
                        LOG.log(Level.INFO, () -> "host " + host + " is now at " + shown(host));
                case NO_ANSWER ->
                        LOG.log(
                                Level.WARNING,
                                () ->
                                        "host "
                                                + host
                                                + " cannot be resolved;"
                                                + " its last addresses stay valid");
                case FORGOTTEN ->
                        LOG.log(
                                Level.WARNING,
                                () ->
                                        "host "
                                                + host
                                                + " could not be resolved for an hour;"
                                                + " it has no access any more");
            }
        } catch (RuntimeException | Error broken) {
            FAILURES.report("a host name could not be looked up", broken);
        }
    }

    private static String shown(NamedHost host) {
        return host.addresses().stream()
                .map(InetAddress::getHostAddress)
                .collect(Collectors.joining(", "));
    }

    /** Stops further lookups. Does not wait for a lookup in progress. */
    @Override
    public void close() {
        closed.countDown();
    }
}
