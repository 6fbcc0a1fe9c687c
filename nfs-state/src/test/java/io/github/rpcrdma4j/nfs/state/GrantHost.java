package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.GrantNote;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.List;
import java.util.Set;

/** A host in a {@link GrantWorld}: its processes, its restarts, and the way of its calls. */
final class GrantHost {
    static final int BYTES = 6;

    /** Stands for the status of NLM. */
    static final Nfs4Status BLOCKED = Nfs4Status.LOCKED;

    private static final long NOTICE_MIN = 3 * GrantWorld.SECOND;
    private static final long NOTICE_MAX = 40 * GrantWorld.SECOND;

    /** What a process waits for. A call that is about an earlier start is refused. */
    record Wait(GrantHost of, GrantProcess process, int start, HostLock lock) implements GrantNote {
        @Override
        public HostName host() {
            return of.name;
        }
    }

    final GrantWorld world;
    final HostName name;
    final List<GrantProcess> processes;

    /** Whether LOCK tells the number of the start. */
    private final boolean tells;

    private int starts;
    private long lastArrival;

    GrantHost(GrantWorld world, String address, String name, boolean tells) {
        this.world = world;
        this.name = new HostName(address, StateServer.name(name));
        this.tells = tells;
        this.processes = List.of(new GrantProcess(this, "1:p"), new GrantProcess(this, "2:p"));
    }

    int start() {
        return starts;
    }

    /** The number of the start: odd. */
    private int number() {
        return 2 * starts + 1;
    }

    int told() {
        return tells ? number() : 0;
    }

    void begin() {
        processes.forEach(GrantProcess::begin);
        if (!world.isEnding()) {
            world.after(world.random.nextLong(150 * GrantWorld.SECOND), this::crash);
        }
    }

    /** Sends a call. It arrives after those before it, unless the host crashes. */
    void send(Runnable arrival) {
        int start = starts;
        lastArrival = Math.max(lastArrival, world.time() + world.delay());
        boolean isLost = world.oneIn(2);
        world.at(
                lastArrival,
                () -> {
                    if (start == starts || !isLost) {
                        arrival.run();
                    }
                });
    }

    /** Sends a reply to the host. */
    void reply(Runnable arrival) {
        int start = starts;
        world.after(
                world.delay(),
                () -> {
                    if (start == starts) {
                        arrival.run();
                    }
                });
    }

    private void crash() {
        world.counts.crashes++;
        starts++;
        processes.forEach(GrantProcess::crash);
        long notice = NOTICE_MIN + world.random.nextLong(NOTICE_MAX);
        int start = starts;
        world.after(notice, () -> notice(start));
        if (tells) {
            // The first LOCK may come before the notice, and that may come again.
            world.after(NOTICE_MIN, this::begin);
            world.after(notice + world.random.nextLong(NOTICE_MAX), () -> notice(start));
        } else {
            world.after(notice, this::begin);
        }
    }

    private void notice(int start) {
        if (start == starts) {
            var hosts = world.server.state.hosts();
            int number = tells || world.oneIn(2) ? number() : 0;
            var kept = number == 0 ? Set.<Integer>of() : Set.of(number);
            var restart = new HostRestart(name.address(), name.name(), kept);
            world.server.ok(hosts.restarted(restart, world.server.now));
        }
    }

    /** GRANTED arrives. */
    GrantAnswer granted(Wait wait) {
        return wait.start == starts ? wait.process.granted(wait.lock) : GrantAnswer.REFUSED;
    }

    void requireEnd() {
        processes.forEach(each -> assertEquals(GrantProcess.Step.ENDED, each.step, each::toString));
    }
}
