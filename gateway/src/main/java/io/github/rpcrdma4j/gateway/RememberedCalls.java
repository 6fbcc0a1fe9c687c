package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.spi.CallEnd;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.RepeatedCalls;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The calls of one connection. Those that are not repeatable are passed on once, even if the client
 * sends them again on another connection. Thread-safe.
 *
 * <p>Tests: {@code RepeatedCallsTest}.
 */
final class RememberedCalls implements CallHandler {
    private final CallHandler calls;
    private final RepeatedCalls repeated;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** When a call came or ended last, by {@link System#nanoTime}. */
    private volatile long lastUse = System.nanoTime();

    /** How many calls are being passed on. The lock guards the fields from here on. */
    private int passing;

    /** How many of them are remembered. */
    private int remembered;

    /**
     * @param calls passes the calls on
     * @param repeated remembers the calls of all connections
     */
    RememberedCalls(CallHandler calls, RepeatedCalls repeated) {
        this.calls = calls;
        this.repeated = repeated;
    }

    @Override
    public boolean runsOnReader(CallHeader call) {
        return calls.runsOnReader(call);
    }

    @Override
    public boolean isUsuallyQuick(CallHeader call, XdrReader arguments) {
        return calls.isUsuallyQuick(call, arguments);
    }

    @Override
    public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
        return calls.kind(call, movesLittle);
    }

    @Override
    public boolean wrapsData(CallHeader call) {
        return calls.wrapsData(call);
    }

    @Override
    public long bytesAheadMax() {
        return calls.bytesAheadMax();
    }

    @Override
    public boolean mayBegin(CallHeader call) {
        return calls.mayBegin(call);
    }

    @Override
    public boolean begin(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            XdrWriter reply,
            CallEnd end) {
        if (!RepeatableCalls.contain(header, call)) {
            // A repetition waits for the first one.
            return false;
        }
        count(1, 0);
        boolean isBegun = false;
        try {
            isBegun =
                    calls.begin(
                            header,
                            call,
                            peer,
                            pool,
                            reply,
                            isAnswered -> {
                                count(-1, 0);
                                end.ended(isAnswered);
                            });
        } finally {
            if (!isBegun) {
                count(-1, 0);
            }
        }
        return isBegun;
    }

    @Override
    public boolean dispatch(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply,
            Runnable passed)
            throws InterruptedException {
        RepeatedCalls.Passing passing =
                () -> calls.dispatch(header, call, peer, pool, reverse, reply, passed);
        boolean isRemembered = !RepeatableCalls.contain(header, call);
        count(1, isRemembered ? 1 : 0);
        try {
            return isRemembered
                    ? repeated.pass(header, call, peer, pool, reply, passing)
                    : passing.pass();
        } finally {
            count(-1, isRemembered ? -1 : 0);
        }
    }

    private void count(int all, int those) {
        lastUse = System.nanoTime();
        lock.lock();
        try {
            passing += all;
            remembered += those;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when a call came or ended last, by {@link System#nanoTime}. */
    long lastUse() {
        return lastUse;
    }

    /** Returns whether no call is being passed on. */
    boolean areIdle() {
        lock.lock();
        try {
            return passing == 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the calls to be remembered have their replies, because the connection of their
     * client has ended and the client may send them again.
     *
     * @param patience how long to wait
     */
    void awaitRemembered(Duration patience) {
        long left = patience.toNanos();
        lock.lock();
        try {
            while (remembered > 0 && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
