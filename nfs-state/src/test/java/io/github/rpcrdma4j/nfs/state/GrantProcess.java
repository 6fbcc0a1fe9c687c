package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.Arrays;

/**
 * A process of a {@link GrantHost} that locks bytes of a file, as the client of Linux does.
 *
 * <pre>
 *   IDLE --LOCK--> LOCKING --BLOCKED--> WAITING --GRANTED--> IDLE
 *                     ^ \                 /  |
 *                     |  \---interrupt---+   |
 *                     `-------time-------|---'
 *                                        v
 *                                   CANCELLING --GRANTED--> IDLE
 *                                        \--DENIED, UNLOCK--> UNLOCKING --> IDLE
 * </pre>
 */
final class GrantProcess {
    /** What it does. */
    enum Step {
        IDLE,
        LOCKING,
        WAITING,
        CANCELLING,
        UNLOCKING,
        ENDED
    }

    private static final long POLL = 30 * GrantWorld.SECOND;

    private final GrantHost host;
    private final GrantWorld world;
    private final String name;

    /** What it was told that it has of each byte; null if nothing. */
    final LockMode[] has = new LockMode[GrantHost.BYTES];

    /** The strongest that it was told since it had nothing there. */
    private final LockMode[] most = new LockMode[GrantHost.BYTES];

    Step step = Step.IDLE;
    private HostLock wanted;
    private boolean isWaiting;
    private boolean isGranted;

    /** Counts what it does, so that late replies and times are known as such. */
    private int turn;

    GrantProcess(GrantHost host, String name) {
        this.host = host;
        this.world = host.world;
        this.name = name;
    }

    void begin() {
        idle();
    }

    void crash() {
        turn++;
        step = Step.ENDED;
        set(ByteRange.ALL, null);
    }

    private void idle() {
        step = Step.IDLE;
        int mine = ++turn;
        world.after(
                world.random.nextLong(4 * GrantWorld.SECOND),
                () -> {
                    if (mine == turn) {
                        act();
                    }
                });
    }

    private void act() {
        if (world.isEnding()) {
            unlock(ByteRange.ALL);
            return;
        }
        switch (world.random.nextInt(8)) {
            case 0, 1, 2 -> lock(true);
            case 3, 4 -> lock(false);
            case 5 -> unlock(ByteRange.ALL);
            default -> unlock(range());
        }
    }

    private ByteRange range() {
        int first = world.random.nextInt(GrantHost.BYTES);
        return new ByteRange(first, first + world.random.nextInt(GrantHost.BYTES - first));
    }

    private void set(ByteRange range, LockMode mode) {
        for (int i = 0; i < GrantHost.BYTES; i++) {
            if (range.overlaps(new ByteRange(i, i))) {
                has[i] = mode;
                most[i] = mode == null || most[i] != LockMode.WRITE ? mode : most[i];
            }
        }
    }

    private boolean hasAll(HostLock lock) {
        for (int i = 0; i < GrantHost.BYTES; i++) {
            boolean isEnough = most[i] == LockMode.WRITE || most[i] == lock.type();
            if (lock.range().overlaps(new ByteRange(i, i)) && !isEnough) {
                return false;
            }
        }
        return true;
    }

    private void lock(boolean waits) {
        var type = world.random.nextBoolean() ? LockMode.READ : LockMode.WRITE;
        wanted = new HostLock(StateServer.FILE, StateServer.name(name), type, range());
        // If it waited for what it has, no server could tell what it cancels.
        isWaiting = waits && !hasAll(wanted);
        isGranted = false;
        turn++;
        if (type == LockMode.READ) {
            // It asks for no more there, even if it does not get it.
            for (int i = 0; i < GrantHost.BYTES; i++) {
                boolean isThere = wanted.range().overlaps(new ByteRange(i, i));
                has[i] = isThere && has[i] != null ? LockMode.READ : has[i];
            }
        }
        send();
        interruptLater();
    }

    private void interruptLater() {
        int mine = turn;
        long most = (world.oneIn(2) ? 5 : 60) * GrantWorld.SECOND;
        world.after(
                world.random.nextLong(most),
                () -> {
                    if (mine == turn && (world.oneIn(2) || world.isEnding())) {
                        interrupt();
                    } else if (mine == turn) {
                        interruptLater();
                    }
                });
    }

    private void send() {
        step = Step.LOCKING;
        int mine = turn;
        var wait = new GrantHost.Wait(host, this, host.start(), wanted);
        int state = host.told();
        boolean waits = isWaiting;
        host.send(
                () ->
                        world.lock(
                                wait,
                                state,
                                waits,
                                status ->
                                        host.reply(
                                                () -> {
                                                    if (mine == turn) {
                                                        replied(status);
                                                    }
                                                })));
    }

    private void replied(Nfs4Status status) {
        if (status == Nfs4Status.OK && !isGranted) {
            set(wanted.range(), wanted.type());
        }
        if (isGranted || status == Nfs4Status.OK || status == Nfs4Status.DENIED) {
            idle();
        } else if (status == GrantHost.BLOCKED) {
            step = Step.WAITING;
            again(POLL);
        } else if (status == Nfs4Status.DELAY) {
            again(world.random.nextLong(5 * GrantWorld.SECOND));
        } else {
            throw new AssertionError(status);
        }
    }

    private void again(long delay) {
        int mine = turn;
        world.after(
                delay,
                () -> {
                    if (mine == turn) {
                        send();
                    }
                });
    }

    private void interrupt() {
        if (isGranted) {
            return;
        }
        turn++;
        if (!isWaiting) {
            unlock(wanted.range());
            return;
        }
        world.counts.cancels++;
        step = Step.CANCELLING;
        var lock = wanted;
        int mine = turn;
        host.send(
                () -> {
                    var hosts = world.server.state.hosts();
                    var outcome = hosts.cancel(host.name, lock, world.server.now);
                    boolean hasWaited = world.server.ok(outcome);
                    reply(
                            outcome,
                            mine,
                            () -> {
                                if (hasWaited) {
                                    idle();
                                } else {
                                    unlock(lock.range());
                                }
                            });
                });
    }

    private void unlock(ByteRange range) {
        set(range, null);
        step = Step.UNLOCKING;
        int mine = ++turn;
        boolean isLast = world.isEnding() && range.equals(ByteRange.ALL);
        host.send(
                () -> {
                    var hosts = world.server.state.hosts();
                    var owner = StateServer.name(name);
                    var file = StateServer.FILE;
                    var outcome = hosts.unlock(host.name, file, owner, range, world.server.now);
                    world.server.ok(outcome);
                    reply(
                            outcome,
                            mine,
                            () -> {
                                if (isLast) {
                                    step = Step.ENDED;
                                } else {
                                    idle();
                                }
                            });
                });
    }

    private void reply(Outcome<?> outcome, int mine, Runnable arrival) {
        world.afterCalls(
                outcome,
                () ->
                        host.reply(
                                () -> {
                                    if (mine == turn) {
                                        arrival.run();
                                    }
                                }));
    }

    /** GRANTED arrives. Linux takes it even while it cancels. */
    GrantAnswer granted(HostLock lock) {
        if (!lock.equals(wanted) || !isWaiting) {
            return GrantAnswer.REFUSED;
        }
        return switch (step) {
            case LOCKING, WAITING -> {
                if (!isGranted && world.oneIn(10)) {
                    yield GrantAnswer.UNREACHABLE;
                }
                if (!isGranted) {
                    isGranted = true;
                    set(lock.range(), lock.type());
                }
                if (step == Step.WAITING) {
                    idle();
                }
                yield GrantAnswer.TAKEN;
            }
            case CANCELLING -> world.oneIn(2) ? GrantAnswer.TAKEN : GrantAnswer.REFUSED;
            case IDLE, UNLOCKING, ENDED -> GrantAnswer.REFUSED;
        };
    }

    @Override
    public String toString() {
        return host.name + " " + name + " " + step + " " + Arrays.toString(has);
    }
}
