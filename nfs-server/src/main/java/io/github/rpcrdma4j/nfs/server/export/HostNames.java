package io.github.rpcrdma4j.nfs.server.export;

import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
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

    private final Collection<NamedHost> hosts;
    private final Duration period;
    private final CountDownLatch closed = new CountDownLatch(1);

    private HostNames(Collection<NamedHost> hosts, Duration period) {
        this.hosts = hosts;
        this.period = period;
    }

    /** Starts to look up the host names in the rules of these exports; ends when closed. */
    public static HostNames of(Collection<Export> exports) {
        return of(exports, PERIOD);
    }

    /** Starts lookups with another period; for tests. */
    static HostNames of(Collection<Export> exports, Duration period) {
        // Rules that share a host share its lookups. Equal hosts of one name are each looked up.
        Collection<NamedHost> hosts = Collections.newSetFromMap(new IdentityHashMap<>());
        exports.stream()
                .flatMap(export -> export.rules().stream())
                .map(ExportRule::clients)
                .filter(NamedHost.class::isInstance)
                .map(NamedHost.class::cast)
                .forEach(hosts::add);
        var names = new HostNames(hosts, period);
        if (!hosts.isEmpty()) {
            Thread.ofPlatform().name("nfs-host-names").daemon().start(names::run);
        }
        return names;
    }

    /**
     * Closes this, and starts to look up the host names of other exports. Tells which names of both
     * have other addresses now: each was looked up when its rule was made.
     */
    public HostNames replacedBy(Collection<Export> exports) {
        close();
        var next = of(exports, period);
        var before = new HashMap<Clients, List<InetAddress>>();
        hosts.forEach(host -> before.put(host, host.addresses()));
        for (var host : next.hosts) {
            var old = before.remove(host);
            if (old != null && !Set.copyOf(old).equals(Set.copyOf(host.addresses()))) {
                tellMoved(host);
            }
        }
        return next;
    }

    private void run() {
        try {
            while (!closed.await(period.toNanos(), TimeUnit.NANOSECONDS)) {
                for (var host : hosts) {
                    var change = refresh(host);
                    if (closed.getCount() == 0) {
                        return;
                    }
                    tell(host, change);
                }
            }
        } catch (InterruptedException _) {
            // The thread belongs to this object, so an interrupt ends it.
        }
    }

    /** Looks up one name. A failure does not prevent lookups of other names or later lookups. */
    private static NamedHost.Change refresh(NamedHost host) {
        try {
            return host.refresh(System.nanoTime());
        } catch (RuntimeException | Error broken) {
            FAILURES.report("a host name could not be looked up", broken);
            return NamedHost.Change.NONE;
        }
    }

    private static void tell(NamedHost host, NamedHost.Change change) {
        switch (change) {
            case NONE -> {}
            case OTHERS -> tellMoved(host);
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
    }

    private static void tellMoved(NamedHost host) {
        LOG.log(Level.INFO, () -> "host " + host + " is now at " + shown(host));
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
