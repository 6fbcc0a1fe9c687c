package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.server.driver.HostLocks;
import io.github.rpcrdma4j.nfs.server.driver.HostThreads;
import io.github.rpcrdma4j.nfs.server.lock.HostCalls.NotCalled;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.share.CallerHost;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Decides which notices of restarts are believed, and takes the locks of hosts that have restarted.
 *
 * <p>A notice over a connection from a port below 1024 comes from root of the host, as far as
 * AUTH_SYS says anything. It is believed, a few times in a second. Every other one may be false:
 * each host can send a datagram in the name of another, and each user of a host can call from the
 * ports above. Then the monitor of the host is asked over TCP for the number of its start. What the
 * host has locked under that number is of its present start, so it stays.
 *
 * <p>A host that restarts often tells so before its monitor is up. So a datagram from a port below
 * 1024 is also believed if the monitor does not answer.
 *
 * <p>Thread-safe.
 */
final class RestartClaims implements AutoCloseable {
    /**
     * How many monitors are asked at a time, and how often that of one host. Notices from ports of
     * any user have so many threads, and those from the other ports have as many of their own.
     */
    private static final int ASKED_MAX = 64;

    private static final int ASKED_OF_HOST_MAX = 2;

    /** How many notices of one host are believed over connections in the time of a pause. */
    private static final int BELIEVED_OF_HOST_MAX = 4;

    /**
     * How long a notice keeps its permit, so that no host is asked, and none is looked at, all the
     * time.
     */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A name that a monitor looks up without asking others; its answer does not depend on it. */
    private static final OpaqueName ITSELF =
            OpaqueName.of("localhost".getBytes(StandardCharsets.US_ASCII));

    private static final long RESULTS_MAX = 2 * Integer.BYTES;

    private final HostLocks locks;
    private final HostCalls hosts;
    private final FailureLog failures =
            new FailureLog(System.getLogger(RestartClaims.class.getName()));
    private final CountDownLatch closed = new CountDownLatch(1);

    private final HostThreads ofRoot = claims(ASKED_OF_HOST_MAX);
    private final HostThreads ofUsers = claims(ASKED_OF_HOST_MAX);

    /** Those of notices that are believed at once: a host may have many locks to look at. */
    private final HostThreads ofConnections = claims(BELIEVED_OF_HOST_MAX);

    RestartClaims(HostLocks locks, HostCalls hosts) {
        this.locks = locks;
        this.hosts = hosts;
    }

    private HostThreads claims(int ofHostMax) {
        return new HostThreads(
                ASKED_MAX,
                ofHostMax,
                "nsm-claim",
                failures,
                "a notice of a restart was not judged");
    }

    /**
     * Takes a notice. Does not wait.
     *
     * @param notice the call, which tells where it came from
     * @param isConnected whether that is the address of a connection
     * @param state the number of the start that it tells; 0 if it does not
     * @return false if the sender has to try again
     */
    boolean take(RpcRequest notice, boolean isConnected, OpaqueName name, int state) {
        var address = notice.peer().getAddress();
        var told = state == 0 ? Set.<Integer>of() : Set.of(state);
        var restart = new HostRestart(HostLocks.text(address, notice.identity()), name, told);
        if (!locks.isKnown(restart)) {
            return true;
        }
        boolean isPrivileged = Client.isPrivileged(notice.peer(), notice.identity());
        if (isConnected && isPrivileged) {
            if (!ofConnections.start(HostLocks.place(notice), this::pause)) {
                return false;
            }
            locks.restarted(restart);
            return true;
        }
        var host = new CallerHost(notice.client());
        return (isPrivileged ? ofRoot : ofUsers)
                .start(HostLocks.place(notice), () -> judge(restart, address, host, isPrivileged));
    }

    private void judge(
            HostRestart restart, InetAddress address, CallerHost host, boolean isPrivileged) {
        try {
            decide(restart, address, host, isPrivileged);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return;
        }
        pause();
    }

    /** Keeps the permit of a host for a while. */
    private void pause() {
        try {
            closed.await(PAUSE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void decide(
            HostRestart restart, InetAddress address, CallerHost host, boolean isPrivileged)
            throws InterruptedException {
        var present = ask(address);
        if (closed.getCount() == 0) {
            return;
        }
        if (present.isEmpty() && !isPrivileged) {
            failures.warn(
                    host.address(),
                    "a notice of a restart from a port of any user was not believed: the monitor"
                            + " (rpc.statd) of the host does not answer",
                    restart.address());
            return;
        }
        var told = restart.starts();
        var starts = present.isPresent() ? starts(told, present.getAsInt()) : told;
        locks.restarted(new HostRestart(restart.address(), restart.name(), starts));
        if (present.isPresent() && !told.contains(present.getAsInt())) {
            failures.warn(
                    host.address(),
                    "a notice of a restart took only what was locked before: the monitor"
                            + " (rpc.statd) of the host tells another number",
                    restart.address());
        }
    }

    /**
     * Returns the numbers that the present start of a host may have. If its monitor contradicts the
     * notice, a host that never told its number keeps all.
     */
    private static Set<Integer> starts(Set<Integer> told, int present) {
        var starts = new HashSet<>(told);
        if (starts.add(present)) {
            starts.add(0);
        }
        return starts;
    }

    /** Asks the monitor of a host for the number of its start: nothing if it does not tell. */
    private OptionalInt ask(InetAddress host) throws InterruptedException {
        try {
            int present =
                    hosts.call(
                                    HostCalls.Target.of(host),
                                    Nsm.PROGRAM,
                                    1,
                                    NsmCall.Procedure.STAT.number(),
                                    new NsmCall.Stat(ITSELF)::encode,
                                    RESULTS_MAX,
                                    NsmCall.Result::decode)
                            .state();
            return present == 0 ? OptionalInt.empty() : OptionalInt.of(present);
        } catch (NotCalled | RpcException _) {
            return OptionalInt.empty();
        }
    }

    /** Asks no monitor any more. Does not wait. */
    @Override
    public void close() {
        closed.countDown();
    }
}
