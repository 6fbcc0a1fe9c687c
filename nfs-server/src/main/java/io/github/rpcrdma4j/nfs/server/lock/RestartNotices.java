package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.server.driver.HostLocks;
import io.github.rpcrdma4j.nfs.server.lock.HostCalls.NotCalled;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Tells hosts that had locks that the server has restarted, so that they reclaim them: NOTIFY of
 * NSM. A host that cannot be reached is told again, for about as long as it may reclaim.
 *
 * <p>Tests: {@code WaitingHostsTest}.
 */
final class RestartNotices implements AutoCloseable {
    private static final long WAIT_MILLIS_MAX = 60_000;

    private static final String NOT_TOLD = "a host was not told that the server has restarted";

    private final HostCalls hosts;
    private final FailureLog failures =
            new FailureLog(System.getLogger(RestartNotices.class.getName()));
    private final int state;

    /** Guards the turns and whether this is closed. */
    private final Object lock = new Object();

    private boolean isClosed;

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
            Runnable notices = () -> tell(Set.copyOf(addresses));
            Thread.ofVirtual().name("nsm-notices").start(failures.guarded(NOT_TOLD, notices));
        }
    }

    private void tell(Set<InetAddress> addresses) {
        var turns = new NoticeTurns(addresses);
        long start = System.nanoTime();
        synchronized (lock) {
            while (!isClosed && !turns.isDone()) {
                long now = System.nanoTime() - start;
                var next = turns.next(now);
                if (next != null) {
                    begin(next, turns, start);
                } else if (!await(turns.nanosToNext(now))) {
                    return;
                }
            }
        }
    }

    /** Waits for the end of a notice, or for some time. Returns false if interrupted. */
    private boolean await(long nanos) {
        try {
            lock.wait(Math.min(TimeUnit.NANOSECONDS.toMillis(nanos) + 1, WAIT_MILLIS_MAX));
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void begin(NoticeTurns.Notice notice, NoticeTurns turns, long start) {
        Runnable telling =
                () -> {
                    boolean isTold = false;
                    try {
                        isTold = isTold(notice.host());
                    } finally {
                        synchronized (lock) {
                            turns.ended(notice, isTold, System.nanoTime() - start);
                            lock.notifyAll();
                        }
                    }
                };
        Thread.ofVirtual().name("nsm-notice").start(failures.guarded(NOT_TOLD, telling));
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
        synchronized (lock) {
            isClosed = true;
            lock.notifyAll();
        }
    }
}
