package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.events.Recordings;
import io.github.rpcrdma4j.rpcrdma.requester.KeepAlive;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The driver of a requester: the calls of any number of threads in one direction of a connection. A
 * thread waits for its own call, or has several in a pipeline. Thread-safe.
 *
 * <p>Tests: {@code RdmaPipelineTest}, {@code IdleProbesTest}.
 */
final class RequesterDriver {
    /**
     * Makes the threads of a connection wait for their calls. Its methods are called with the lock
     * of the connection held.
     */
    interface Waiter {
        /**
         * Waits without the lock until the state may have changed, or the time has expired. It
         * returns with the lock held.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        void await(long nanos) throws InterruptedException;

        /** Notes that a thread stops waiting. */
        void leave();

        /**
         * Processes completions that did not wake a thread (successful quiet Sends). It releases
         * the lock meanwhile.
         */
        void processQuiet();
    }

    /** The waiting caller of a call. */
    sealed interface Caller extends PendingCall.Caller
            permits WaitingThread, PipelinedCall, BegunRequests.Begun {}

    /** A thread that waits for one call. */
    private record WaitingThread(Thread thread, CallProtection protection) implements Caller {
        @Override
        public void sent() {
            protection.sent();
        }
    }

    /** How long a cancelled call waits for Sends that still read the caller's memory. */
    private static final long SENDING_NANOS = Duration.ofSeconds(1).toNanos();

    private final ConnectionLock lock;
    private final Endpoint endpoint;
    private final Requester requester;
    private final CallEncoder encoder;

    /** The address of the peer, as text. */
    private final String peer;

    private final Waiter waiter;

    /** Guarded by the lock, as are the endpoint, the requester, and the fields below. */
    private final KeepAlive keepAlive;

    private long messagesSeen;

    /** Whether a call was made; its program is that of NULL calls. */
    private boolean hasProgram;

    private int program;
    private int version;

    private int lastXid;

    /** The XIDs that callers chose, of calls that are being encoded. */
    private final Set<Integer> reserved = new HashSet<>();

    /**
     * @param lock the lock of the connection
     * @param keepAlive watches the peer
     */
    RequesterDriver(
            ConnectionLock lock,
            Endpoint endpoint,
            Requester requester,
            CallEncoder encoder,
            InetSocketAddress peer,
            Waiter waiter,
            KeepAlive keepAlive) {
        this.lock = lock;
        this.endpoint = endpoint;
        this.requester = requester;
        this.encoder = encoder;
        this.peer = HostPort.text(peer);
        this.waiter = waiter;
        this.keepAlive = keepAlive;
        this.lastXid = lock.threads().random().nextInt();
        lock.beforeRelease(this::takeAnswered);
        requester.useNullCalls(this::nullCall);
    }

    /**
     * Makes a call and waits for its reply, as {@link
     * io.github.rpcrdma4j.oncrpc.spi.RpcTransport#call} says.
     *
     * @throws IllegalStateException if the thread handles the completions of this connection,
     *     because it would wait for itself
     */
    RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        requireMayWait();
        var event = Recordings.beginCall();
        long deadline = lock.nanoTime() + Timeouts.nanosOfCall(timeout);
        int xid = xid(call.xid());
        var pending = encode(call, protection, xid);
        pending.caller(new WaitingThread(Thread.currentThread(), protection));
        try {
            awaitAnswer(call, pending, timeout, deadline);
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

    /** Returns the outcome of a call in words for a user. */
    static String outcome(PendingCall.Answer answer) {
        return switch (answer) {
            case PendingCall.Answer.Reply _ -> "replied";
            case PendingCall.Answer.Failure(var reason) -> reason.getMessage();
        };
    }

    /** Returns the address of the peer, as text. */
    String peer() {
        return peer;
    }

    /**
     * Wakes the threads of all answered calls. The lock is held. It also runs before each release
     * of the lock.
     */
    void takeAnswered() {
        lock.assertHeld();
        for (var call = requester.takeAnswered(); call != null; call = requester.takeAnswered()) {
            // Only this driver starts calls of its requester, so the caller has this type.
            switch ((Caller) call.caller()) {
                case WaitingThread(var thread, _) -> wake(thread);
                case PipelinedCall started -> started.answered();
                case BegunRequests.Begun begun -> begun.answered();
            }
        }
    }

    /** Wakes a thread. The leader finds its own answer without being woken. */
    static void wake(Thread caller) {
        if (caller != Thread.currentThread()) {
            LockSupport.unpark(caller);
        }
    }

    /**
     * Checks that this thread may wait for a call.
     *
     * @throws IllegalStateException if the thread handles the completions of this connection
     */
    void requireMayWait() {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a thread that handles completions must not wait for a call on the same"
                            + " connection");
        }
    }

    /** Returns a new pipeline, in which one thread keeps several calls outstanding. */
    CallPipeline pipeline(CallProtection protection) {
        return new RdmaPipeline(lock, this, protection);
    }

    /** Returns whether a caller has chosen the XID. Without reservations this makes no object. */
    private boolean isReserved(int xid) {
        return !reserved.isEmpty() && reserved.contains(xid);
    }

    /** Encodes a call without the lock. Its XID is reserved. */
    PendingCall encode(RpcCall call, CallProtection protection, int xid) throws RpcException {
        try {
            return encoder.encode(call, protection, xid);
        } catch (BudgetExhaustedException none) {
            lock.locked(() -> reserved.remove(xid));
            throw encoder.explain(none);
        } catch (RpcException | RuntimeException | Error failure) {
            lock.locked(() -> reserved.remove(xid));
            throw failure;
        }
    }

    /** Drops a call that was not started. The lock is held. */
    void drop(PendingCall call) {
        lock.assertHeld();
        reserved.remove(call.xid());
        call.release();
    }

    /**
     * Queues a call, which the next {@link #send} sends. The lock is held.
     *
     * @param userCall a probe of the peer calls its program
     */
    void queue(RpcCall userCall, PendingCall call) {
        lock.assertHeld();
        hasProgram = true;
        program = userCall.program();
        version = userCall.version();
        if (!reserved.isEmpty()) {
            reserved.remove(call.xid());
        }
        watchIfIdle();
        requester.queue(call);
    }

    /** Returns after how many nanoseconds {@link #await} may have work. The lock is held. */
    long nanosUntilDue() {
        lock.assertHeld();
        return Math.min(left(), requester.nanosUntilDue());
    }

    /** Returns whether the connection is open. The lock is held. */
    boolean isOpen() {
        lock.assertHeld();
        return !endpoint.isClosed();
    }

    /**
     * Sends all started calls with credits together, when the lock is released. The lock is held.
     */
    void send() {
        lock.assertHeld();
        endpoint.gather();
        try {
            requester.sendQueued();
        } catch (RuntimeException | Error broken) {
            lock.internalError(broken);
        }
    }

    /**
     * Cancels a call, so that it has an answer. The lock is held. It waits a short time for Sends
     * that still read the caller's memory.
     */
    void cancel(PendingCall call, RpcException reason) {
        lock.assertHeld();
        long deadline = lock.nanoTime() + SENDING_NANOS;
        while (call.isBeingSent() && call.answer() == null && lock.nanoTime() - deadline < 0) {
            waiter.processQuiet();
        }
        requester.cancel(call, reason);
        takeAnswered();
    }

    /** Notes that a thread stops waiting. The lock is held. */
    void leave() {
        lock.assertHeld();
        waiter.leave();
    }

    /** Returns the exception for a call whose deadline has passed. */
    RpcException late(Duration timeout) {
        return new RpcException.TimedOut(
                "no reply from " + peer + " within " + Timeouts.words(timeout));
    }

    /**
     * Returns an XID that no call of this direction has (RFC 8167-2.4-2, 8167-5.1-1). An XID that a
     * caller chose is reserved until its call is started.
     *
     * @param wanted the XID that the caller chose, if any
     * @throws IllegalArgumentException if another call has the chosen XID
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
            } while (requester.holds(lastXid) || isReserved(lastXid));
            return lastXid;
        } finally {
            lock.unlock();
        }
    }

    /** Restarts the keep-alive if no call is outstanding, because the peer owes no reply then. */
    private void watchIfIdle() {
        if (requester.unanswered() == 0) {
            keepAlive.restart(lock.nanoTime());
        }
    }

    /**
     * Sends the call, or queues it for a credit, and waits for its answer. At the deadline the call
     * is cancelled.
     */
    private void awaitAnswer(RpcCall userCall, PendingCall call, Duration timeout, long deadline)
            throws InterruptedException {
        lock.lock();
        try {
            queue(userCall, call);
            requester.sendQueued();
            while (call.answer() == null) {
                long left = deadline - lock.nanoTime();
                if (left <= 0) {
                    cancel(call, late(timeout));
                } else {
                    await(left);
                }
            }
        } catch (InterruptedException interrupted) {
            cancel(call, new RpcException.TimedOut("its thread was interrupted"));
            throw interrupted;
        } catch (RuntimeException | Error broken) {
            lock.internalError(broken);
            if (call.answer() == null) {
                throw broken;
            }
        } finally {
            waiter.leave();
            lock.unlock();
        }
    }

    /**
     * Waits until the state may have changed, and checks whether the peer is alive. The lock is
     * held.
     *
     * @param nanos the longest time to wait, in nanoseconds
     */
    void await(long nanos) throws InterruptedException {
        lock.assertHeld();
        try {
            requester.sendDue();
            waiter.await(Math.max(1, Math.min(nanos, nanosUntilDue())));
            requester.sendDue();
            watch();
        } catch (RuntimeException | Error broken) {
            lock.internalError(broken);
        }
    }

    private long left() {
        return keepAlive.left(lock.nanoTime(), requester.unanswered() == 0);
    }

    /**
     * Probes the peer of an idle connection until the connection ends (RFC 8267-6.7.2-1). Between
     * the probes this thread sleeps, so that it leads no other thread's calls.
     */
    void probeWhileIdle() {
        lock.lock();
        try {
            while (!endpoint.isClosed()) {
                if (keepAlive.isProbing()) {
                    await(Long.MAX_VALUE);
                } else {
                    waiter.leave();
                    lock.park(Math.max(1, left()));
                    watch();
                }
            }
        } catch (InterruptedException _) {
            endpoint.close("the thread that probes the peer was interrupted");
        } catch (RuntimeException | Error broken) {
            lock.internalError(broken);
        } finally {
            waiter.leave();
            lock.unlock();
        }
    }

    /** Probes a silent peer, and closes the connection if the peer does not answer the probe. */
    private void watch() {
        long now = lock.nanoTime();
        if (messagesSeen != requester.messagesReceived()) {
            messagesSeen = requester.messagesReceived();
            keepAlive.restart(now);
        }
        switch (keepAlive.step(now, requester.unanswered() == 0)) {
            case WAIT -> {}
            case PROBE -> {
                if (!requester.sendNull()) {
                    keepAlive.restart(now);
                }
            }
            case LOSE -> endpoint.close(peer + " is silent and does not answer a probe");
        }
    }

    private Optional<PendingCall> nullCall() {
        if (!hasProgram) {
            return Optional.empty();
        }
        // Every program answers procedure 0 for every caller (RFC 5531, Section 12.1).
        var call = new RpcCall(program, version, 0, _ -> {}, 0);
        try {
            var anybody = CallProtection.of(new Credential.None());
            return Optional.of(encoder.encode(call, anybody, xid(OptionalInt.empty())));
        } catch (RpcException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Frees the memory that is kept for calls, at the end of the connection. */
    void close() {
        encoder.close();
    }
}
