package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.events.CallEvent;
import io.github.rpcrdma4j.rpcrdma.requester.KeepAlive;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The calls that are made by one direction of a connection, for any number of threads: each waits
 * for its own, or has some in a pipeline. Thread-safe.
 */
final class RequesterDriver {
    /** How a thread waits for its call. Used with the connection's lock held. */
    interface Waiting {
        /**
         * Waits a while, without the lock, and returns with it: something may have happened.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        void await(long nanos) throws InterruptedException;

        /** A thread waits no more. */
        void leave();

        /**
         * Processes completions that woke no thread, those of successful Sends. Releases the lock
         * meanwhile.
         */
        void stir();
    }

    /** Who waits for a call. */
    sealed interface Caller extends PendingCall.Caller permits WaitingThread, PipelinedCall {}

    /** A thread that waits for one call. */
    private record WaitingThread(Thread thread) implements Caller {}

    /** How long the caller's memory may be on its way into the connection. */
    private static final long SENDING_NANOS = Duration.ofSeconds(1).toNanos();

    private final ConnectionLock lock;
    private final Endpoint endpoint;
    private final Requester requester;
    private final CallEncoder encoder;
    private final InetSocketAddress peer;
    private final Waiting waiting;

    /** Guarded by the lock, as the endpoint and the requester are, and what follows. */
    private final KeepAlive keepAlive;

    private long heard;

    private int lastXid;

    /** XIDs that callers chose, of calls that are being encoded. */
    private final Set<Integer> reserved = new HashSet<>();

    /**
     * @param lock of the connection
     * @param keepAlive watches the peer while calls are outstanding
     */
    RequesterDriver(
            ConnectionLock lock,
            Endpoint endpoint,
            Requester requester,
            CallEncoder encoder,
            InetSocketAddress peer,
            Waiting waiting,
            KeepAlive keepAlive) {
        this.lock = lock;
        this.endpoint = endpoint;
        this.requester = requester;
        this.encoder = encoder;
        this.peer = peer;
        this.waiting = waiting;
        this.keepAlive = keepAlive;
        this.lastXid = lock.threads().random().nextInt();
        lock.beforeRelease(this::takeAnswered);
    }

    /**
     * Makes a call and waits for its reply, as {@link
     * io.github.rpcrdma4j.oncrpc.spi.RpcTransport#call} says.
     *
     * @throws IllegalStateException if the thread is the one that handles what arrives: it would
     *     wait for itself
     */
    RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        requireMayWait();
        var event = CallEvent.begun();
        long deadline = lock.nanoTime() + Timeouts.nanos(timeout);
        int xid = xid(call.xid());
        var pending = encode(call, protection, xid);
        pending.caller(new WaitingThread(Thread.currentThread()));
        try {
            await(call, pending, timeout, deadline);
        } catch (InterruptedException | RuntimeException | Error failure) {
            pending.release();
            throw failure;
        }
        if (event != null) {
            event.record(call, xid, peer, outcome(pending.answer()));
        }
        return switch (pending.answer()) {
            case PendingCall.Answer.Failure(var reason) -> {
                pending.release();
                throw reason;
            }
            case PendingCall.Answer.Reply reply ->
                    ReceivedReply.of(call, protection, xid, reply, pending);
        };
    }

    /** What came of a call, for a user. */
    static String outcome(PendingCall.Answer answer) {
        return switch (answer) {
            case PendingCall.Answer.Reply _ -> "replied";
            case PendingCall.Answer.Failure(var reason) -> reason.getMessage();
        };
    }

    /** Where the calls go. */
    InetSocketAddress peer() {
        return peer;
    }

    /**
     * Takes the calls that have their answers, and wakes the threads that wait for them; the lock
     * is held. It is done whenever that is let go.
     */
    void takeAnswered() {
        lock.assertHeld();
        for (var call = requester.takeAnswered(); call != null; call = requester.takeAnswered()) {
            // This side alone starts calls of its requester.
            switch ((Caller) call.caller()) {
                case WaitingThread(var thread) -> wake(thread);
                case PipelinedCall started -> started.answered();
            }
        }
    }

    /** The thread that leads finds its own answer by itself. */
    static void wake(Thread caller) {
        if (caller != Thread.currentThread()) {
            LockSupport.unpark(caller);
        }
    }

    /**
     * @throws IllegalStateException if the thread is the one that handles what arrives
     */
    void requireMayWait() {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a procedure that runs on the reader cannot wait for a call");
        }
    }

    /** Calls of one thread that it does not wait for one by one. */
    CallPipeline pipeline(CallProtection protection) {
        return new RdmaPipeline(lock, this, protection);
    }

    /** Encodes a call, without the lock; its XID was reserved. */
    PendingCall encode(RpcCall call, CallProtection protection, int xid) throws RpcException {
        try {
            return encoder.encode(call, protection, xid);
        } catch (RpcException | RuntimeException | Error failure) {
            lock.locked(() -> reserved.remove(xid));
            throw failure;
        }
    }

    /** Gives up a call that was not started; the lock is held. */
    void drop(PendingCall call) {
        lock.assertHeld();
        reserved.remove(call.xid());
        call.release();
    }

    private void start(PendingCall call) {
        if (!reserved.isEmpty()) {
            reserved.remove(call.xid());
        }
        watchIfIdle();
        requester.queue(call);
    }

    /** Starts a call that leaves with the next {@link #send}; the lock is held. */
    void startTogether(PendingCall call) {
        lock.assertHeld();
        start(call);
    }

    /** Sends together what was started and has credits, when the lock is let go; it is held. */
    void send() {
        lock.assertHeld();
        endpoint.gather();
        try {
            requester.sendQueued();
        } catch (RuntimeException | Error broken) {
            lock.mistaken(broken);
        }
    }

    /**
     * Gives up a call, so that it has an answer; the lock is held. What is being sent of the
     * caller's memory is waited for, but not long.
     */
    void cancel(PendingCall call, RpcException reason) {
        lock.assertHeld();
        long deadline = lock.nanoTime() + SENDING_NANOS;
        while (call.isBeingSent() && call.answer() == null && lock.nanoTime() - deadline < 0) {
            waiting.stir();
        }
        requester.cancel(call, reason);
        takeAnswered();
    }

    /** A thread waits no more; the lock is held. */
    void leave() {
        lock.assertHeld();
        waiting.leave();
    }

    /** What is said of a call whose time is up. */
    RpcException late(Duration timeout) {
        var within =
                timeout.toMillisPart() == 0
                        ? timeout.toSeconds() + " s"
                        : timeout.toMillis() + " ms";
        return new RpcException.TimedOut(
                "no reply from " + peer + " within the deadline of " + within);
    }

    /**
     * An XID that no call of this direction holds (RFC 8167-2.4-2, 8167-5.1-1). One that a caller
     * chose is reserved until its call is started.
     *
     * @param wanted taken if it is there
     * @throws IllegalArgumentException if another call holds it
     */
    int xid(OptionalInt wanted) {
        lock.lock();
        try {
            if (wanted.isPresent()) {
                if (requester.holds(wanted.getAsInt()) || !reserved.add(wanted.getAsInt())) {
                    throw new IllegalArgumentException("another call has that XID");
                }
                return wanted.getAsInt();
            }
            do {
                lastXid++;
            } while (requester.holds(lastXid) || reserved.contains(lastXid));
            return lastXid;
        } finally {
            lock.unlock();
        }
    }

    /** The peer owes nothing before the first call. */
    private void watchIfIdle() {
        if (requester.unanswered() == 0) {
            keepAlive.restart(lock.nanoTime());
        }
    }

    /**
     * Sends the call, or queues it for a credit, and waits until it has its answer: at the latest
     * at the deadline, when it is cancelled.
     */
    private void await(RpcCall asked, PendingCall call, Duration timeout, long deadline)
            throws InterruptedException {
        lock.lock();
        try {
            start(call);
            requester.sendQueued();
            while (call.answer() == null) {
                long left = deadline - lock.nanoTime();
                if (left <= 0) {
                    cancel(call, late(timeout));
                } else {
                    await(asked, left);
                }
            }
        } catch (InterruptedException interrupted) {
            cancel(call, new RpcException.TimedOut("its thread was interrupted"));
            throw interrupted;
        } catch (RuntimeException | Error broken) {
            lock.mistaken(broken);
            if (call.answer() == null) {
                throw broken;
            }
        } finally {
            waiting.leave();
            lock.unlock();
        }
    }

    /**
     * Waits a while, and looks after the peer; the lock is held.
     *
     * @param asked any call that is waited for
     */
    void await(RpcCall asked, long nanos) throws InterruptedException {
        lock.assertHeld();
        try {
            requester.tell();
            long most = Math.min(keepAlive.left(lock.nanoTime()), requester.tellsWithin());
            waiting.await(Math.max(1, Math.min(nanos, most)));
            requester.tell();
            watch(asked);
        } catch (RuntimeException | Error broken) {
            lock.mistaken(broken);
        }
    }

    /** Asks the peer for a sign of life when it has been silent, and gives it up without one. */
    private void watch(RpcCall asked) {
        long now = lock.nanoTime();
        if (heard != requester.heard()) {
            heard = requester.heard();
            keepAlive.restart(now);
        }
        switch (keepAlive.step(now)) {
            case WAIT -> {}
            case PROBE -> {
                // Any program answers to procedure 0, and any caller (RFC 5531, Section 12.1).
                var call = new RpcCall(asked.program(), asked.version(), 0, _ -> {}, 0);
                if (!requester.probe(probe(call))) {
                    keepAlive.restart(now);
                }
            }
            case LOSE -> endpoint.close(peer + " is silent and does not answer a probe");
        }
    }

    private PendingCall probe(RpcCall call) {
        try {
            var anybody = CallProtection.of(new Credential.None());
            return encoder.encode(call, anybody, xid(OptionalInt.empty()));
        } catch (RpcException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The connection is gone, or about to go. */
    void close() {
        encoder.close();
    }
}
