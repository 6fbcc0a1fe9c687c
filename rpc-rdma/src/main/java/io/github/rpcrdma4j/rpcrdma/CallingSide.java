package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.CallProtection;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.rpcrdma.connect.Endpoint;
import io.github.rpcrdma4j.rpcrdma.requester.KeepAlive;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The calls that are made by one direction of a connection, for any number of threads: each waits
 * for its own. Thread-safe.
 */
final class CallingSide {
    /** How a thread waits for its call. Used with the connection's lock held. */
    interface Waiting {
        /**
         * Waits a while, without the lock, and returns with it: something may have happened.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        void await(PendingCall call, long nanos) throws InterruptedException;

        /** A thread waits no more. */
        void leave();
    }

    private final ReentrantLock lock;
    private final Endpoint endpoint;
    private final Requester requester;
    private final CallEncoder encoder;
    private final InetSocketAddress peer;
    private final Waiting waiting;

    /** Guarded by the lock, as the endpoint and the requester are, and what follows. */
    private final KeepAlive keepAlive;

    private long heard;

    private int lastXid = ThreadLocalRandom.current().nextInt();

    /**
     * @param lock of the connection
     * @param keepAlive watches the peer while calls are outstanding
     */
    CallingSide(
            ReentrantLock lock,
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
    }

    /**
     * Makes a call and waits for its reply, as {@link io.github.rpcrdma4j.oncrpc.RpcTransport#call}
     * says.
     *
     * @throws IllegalStateException if the thread is the one that handles what arrives: it would
     *     wait for itself
     */
    RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a procedure that runs on the reader cannot wait for a call");
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        int xid = xid(call.xid());
        var pending = encoder.encode(call, protection, xid);
        try {
            start(pending);
            await(call, pending, deadline);
        } catch (InterruptedException | RuntimeException | Error failure) {
            pending.release();
            throw failure;
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

    /**
     * An XID that no call of this direction holds (RFC 8167-2.4-2, 8167-5.1-1).
     *
     * @param wanted taken if it is there
     * @throws IllegalArgumentException if another call holds it
     */
    private int xid(OptionalInt wanted) {
        lock.lock();
        try {
            if (wanted.isPresent()) {
                if (requester.holds(wanted.getAsInt())) {
                    throw new IllegalArgumentException("another call has that XID");
                }
                return wanted.getAsInt();
            }
            do {
                lastXid++;
            } while (requester.holds(lastXid));
            return lastXid;
        } finally {
            lock.unlock();
        }
    }

    /** Sends the call, or queues it for a credit. */
    private void start(PendingCall call) {
        lock.lock();
        try {
            if (requester.unanswered() == 0) {
                keepAlive.restart(System.nanoTime());
            }
            requester.start(call);
        } catch (RuntimeException | Error broken) {
            endpoint.close("internal error: " + broken);
            throw broken;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the call has its answer: at the latest at the deadline, when it is cancelled. */
    private void await(RpcCall asked, PendingCall call, long deadline)
            throws RpcException, InterruptedException {
        lock.lock();
        try {
            while (call.answer() == null) {
                long now = System.nanoTime();
                long left = deadline - now;
                if (left <= 0) {
                    requester.cancel(
                            call,
                            new RpcException.TimedOut(
                                    "no reply from " + peer + " within the deadline"));
                } else {
                    waiting.await(call, Math.min(left, keepAlive.left(now)));
                    watch(asked);
                }
            }
        } catch (InterruptedException interrupted) {
            requester.cancel(call, new RpcException.TimedOut("the call was interrupted"));
            throw interrupted;
        } finally {
            waiting.leave();
            lock.unlock();
        }
    }

    /** Asks the peer for a sign of life when it has been silent, and gives it up without one. */
    private void watch(RpcCall asked) throws RpcException {
        long now = System.nanoTime();
        if (heard != requester.heard()) {
            heard = requester.heard();
            keepAlive.restart(now);
        }
        switch (keepAlive.step(now)) {
            case WAIT -> {}
            case PROBE -> {
                // Any program answers to procedure 0, whoever calls (RFC 5531, Section 12.1).
                var call = new RpcCall(asked.program(), asked.version(), 0, _ -> {}, 0);
                var anybody = CallProtection.of(new Credential.None());
                if (!requester.probe(encoder.encode(call, anybody, xid(OptionalInt.empty())))) {
                    keepAlive.restart(now);
                }
            }
            case LOSE -> endpoint.close(peer + " is silent and does not answer a probe");
        }
    }

    /** Parks the thread, which holds the lock, without it. */
    static void park(ReentrantLock lock, long nanos) throws InterruptedException {
        lock.unlock();
        try {
            LockSupport.parkNanos(lock, nanos);
        } finally {
            lock.lock();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
