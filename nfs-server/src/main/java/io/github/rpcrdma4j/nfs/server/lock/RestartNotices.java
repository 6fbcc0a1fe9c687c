package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.server.lock.HostCalls.NotCalled;
import io.github.rpcrdma4j.nfs.server.v4.HostLocks;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Tells hosts that had locks that the server has restarted, so that they reclaim them: NOTIFY of
 * NSM. A host that cannot be reached is told again, for about as long as it may reclaim.
 */
final class RestartNotices implements AutoCloseable {
    /** How many hosts are told at a time. */
    private static final int AT_A_TIME = 32;

    private static final int TRIES_MAX = 6;

    /** The pause after the first try; it doubles after each one. */
    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final HostCalls hosts;
    private final int state;
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * @param state the number of this start of the server; odd
     */
    RestartNotices(HostCalls hosts, int state) {
        this.hosts = hosts;
        this.state = state;
    }

    /**
     * Tells hosts, on a thread that ends at the latest when this is closed. Does not wait.
     *
     * @param addresses of the hosts
     */
    void start(Collection<InetAddress> addresses) {
        if (!addresses.isEmpty()) {
            Thread.ofVirtual().name("nsm-notices").start(() -> tell(Set.copyOf(addresses)));
        }
    }

    private void tell(Set<InetAddress> addresses) {
        var waiting = new LinkedHashSet<>(addresses);
        var pause = PAUSE;
        try {
            for (int tries = 0; tries < TRIES_MAX && !waiting.isEmpty(); tries++) {
                if (tries > 0) {
                    if (closed.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    pause = pause.multipliedBy(2);
                }
                tellAll(waiting);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Tells hosts once, and removes those that were reached. */
    private void tellAll(Set<InetAddress> waiting) throws InterruptedException {
        var places = new Semaphore(AT_A_TIME);
        var told = ConcurrentHashMap.<InetAddress>newKeySet();
        for (var each : waiting) {
            places.acquire();
            Thread.ofVirtual()
                    .name("nsm-notice")
                    .start(
                            () -> {
                                try {
                                    if (isTold(each)) {
                                        told.add(each);
                                    }
                                } finally {
                                    places.release();
                                }
                            });
        }
        places.acquire(AT_A_TIME);
        waiting.removeAll(told);
    }

    /** Tells a host under the names by which it may know this server. */
    private boolean isTold(InetAddress host) {
        try {
            for (var name : names(host)) {
                var notice =
                        new NsmCall.Notify(
                                OpaqueName.of(name.getBytes(StandardCharsets.US_ASCII)), state);
                hosts.call(
                        HostCalls.Target.of(host),
                        Nsm.PROGRAM,
                        1,
                        NsmCall.Procedure.NOTIFY.number(),
                        notice::encode,
                        0,
                        _ -> notice);
            }
            return true;
        } catch (NotCalled | IOException _) {
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Linux knows a server by its address, which the route to the host tells; others by name. */
    private static Set<String> names(InetAddress host) throws IOException {
        var names = new LinkedHashSet<String>();
        try (var probe = new DatagramSocket()) {
            probe.connect(new InetSocketAddress(host, 1));
            names.add(HostLocks.text(probe.getLocalAddress()));
        }
        localName().ifPresent(names::add);
        return names;
    }

    private static Optional<String> localName() {
        try {
            return Optional.of(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException _) {
            return Optional.empty();
        }
    }

    /** Tells hosts no more. Does not wait. */
    @Override
    public void close() {
        closed.countDown();
    }
}
