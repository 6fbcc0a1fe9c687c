package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyReceiver;
import io.github.rpcrdma4j.rpcrdma.events.CallEvent;
import io.github.rpcrdma4j.rpcrdma.events.Recordings;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;

/**
 * The begun calls of a connection, for which no thread waits. The listener of the connection
 * delivers their outcomes, without the lock of the connection. That lock guards all state.
 */
public final class BegunRequests implements LeaderFollowers.Listening {
    /** One begun call. */
    static final class Begun implements RequesterDriver.Caller {
        private final BegunRequests all;
        private final RpcCall call;
        private final CallProtection protection;
        private final PendingCall pending;
        private final int xid;
        private final Duration timeout;
        private final long deadline;
        private final ReplyReceiver receiver;

        /** The JFR event of the call; null if it is disabled. */
        private final CallEvent event = Recordings.beginCall();

        private Begun(
                BegunRequests all,
                RpcCall call,
                CallProtection protection,
                PendingCall pending,
                Duration timeout,
                long deadline,
                ReplyReceiver receiver) {
            this.all = all;
            this.call = call;
            this.protection = protection;
            this.pending = pending;
            this.xid = pending.xid();
            this.timeout = timeout;
            this.deadline = deadline;
            this.receiver = receiver;
        }

        @Override
        public void sent() {
            protection.sent();
        }

        /** Notes that the call has its answer. */
        void answered() {
            all.outstanding.remove(this);
            all.ended.addLast(this);
            all.waiting.wakeListener();
        }

        /** Delivers the outcome, without the lock. */
        private void deliver(String peer) {
            if (event != null) {
                event.record(call, xid, peer, RequesterDriver.outcome(pending.answer()));
            }
            RpcReply reply = null;
            RpcException failure = null;
            switch (pending.answer()) {
                case PendingCall.Answer.Failure(var reason) -> {
                    pending.release();
                    failure = reason;
                }
                case PendingCall.Answer.Reply arrived -> {
                    try {
                        reply = ReceivedReply.of(call, protection, xid, arrived, pending);
                    } catch (RpcException noResults) {
                        failure = noResults;
                    } catch (RuntimeException | Error broken) {
                        pending.release();
                        receiver.failed(new RpcException.BadReply("internal error: " + broken));
                        throw broken;
                    }
                }
            }
            if (failure == null) {
                receiver.replied(reply);
            } else {
                receiver.failed(failure);
            }
        }
    }

    private final ConnectionLock lock;
    private final RequesterDriver driver;
    private final LeaderFollowers waiting;
    private final Set<Begun> outstanding = new HashSet<>();

    /** The calls with undelivered outcomes. */
    private final ArrayDeque<Begun> ended = new ArrayDeque<>();

    /** Whether a begun call may be late, or its peer silent, at a time that is known. */
    private boolean hasCheck;

    /** The time by which the listener must look, by the clock of the connection. */
    private long check;

    /**
     * @param waiting has the listener of the connection
     */
    BegunRequests(ConnectionLock lock, RequesterDriver driver, LeaderFollowers waiting) {
        this.lock = lock;
        this.driver = driver;
        this.waiting = waiting;
    }

    /**
     * Begins a call as {@link io.github.rpcrdma4j.oncrpc.spi.RpcTransport#begin} says. It does not
     * begin while another thread has the lock. It waits for a credit behind earlier calls.
     */
    public boolean begin(
            RpcCall call, CallProtection protection, Duration timeout, ReplyReceiver receiver) {
        if (!lock.tryLockUnused()) {
            return false;
        }
        try {
            if (!driver.isOpen()) {
                return false;
            }
            long now = lock.nanoTime();
            long deadline = now + Timeouts.nanosOfCall(timeout);
            var pending = driver.encode(call, protection, driver.xid(call.xid()));
            var begun = new Begun(this, call, protection, pending, timeout, deadline, receiver);
            pending.caller(begun);
            outstanding.add(begun);
            driver.queue(call, pending);
            driver.send();
            if (watch(Math.min(deadline - now, driver.nanosUntilDue()))) {
                waiting.awaitAgain();
            }
            return true;
        } catch (RpcException _) {
            // The caller learns it when it makes the call.
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes after how many nanoseconds the listener must look. Calls that end do not change that
     * time, so the listener is rarely woken for a call.
     *
     * @return whether the listener may wait for longer now
     */
    private boolean watch(long nanos) {
        long due = lock.nanoTime() + nanos;
        if (hasCheck && due - check >= 0) {
            return false;
        }
        hasCheck = true;
        check = due;
        return true;
    }

    @Override
    public boolean isEmpty() {
        return outstanding.isEmpty() && ended.isEmpty();
    }

    @Override
    public void await() throws InterruptedException {
        long left = hasCheck ? Math.max(0, check - lock.nanoTime()) : Long.MAX_VALUE;
        if (outstanding.isEmpty()) {
            waiting.await(left);
        } else {
            driver.await(left);
        }
        if (hasCheck && check - lock.nanoTime() <= 0) {
            hasCheck = false;
            expire(lock.nanoTime());
        }
    }

    /** Cancels the calls whose deadlines have passed. */
    private void expire(long now) {
        for (var each : new ArrayList<>(outstanding)) {
            if (each.deadline - now > 0) {
                watch(each.deadline - now);
            } else if (outstanding.contains(each)) {
                driver.cancel(each.pending, driver.late(each.timeout));
            }
        }
    }

    @Override
    public void deliver() {
        driver.takeAnswered();
        for (var each = ended.poll(); each != null; each = ended.poll()) {
            lock.unlock();
            Throwable failure = null;
            try {
                each.deliver(driver.peer());
            } catch (RuntimeException | Error broken) {
                failure = broken;
            } finally {
                lock.lock();
            }
            if (failure != null) {
                lock.internalError(failure);
            }
            driver.takeAnswered();
        }
    }
}
