package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The calls that one side of a connection has made and that have no reply yet. Thread-safe.
 *
 * <p>Tests: {@code TcpRpcClientTest}, {@code BegunCallsTest}.
 */
final class SentCalls {
    private static final FailureLog FAILURES =
            new FailureLog(System.getLogger(SentCalls.class.getName()));

    private final String peer;
    private final ConcurrentHashMap<Integer, PendingReply> calls = new ConcurrentHashMap<>();
    private final AtomicInteger lastXid = new AtomicInteger(ThreadLocalRandom.current().nextInt());
    private final AtomicReference<String> lossReason = new AtomicReference<>();

    /** Whether a begun call may have a deadline. Guarded by this, as is the field below. */
    private boolean hasDeadline;

    /** A lower bound of the deadlines of begun calls, of {@link System#nanoTime}. */
    private long earliest;

    /**
     * @param peer the name of the other side, for messages
     */
    SentCalls(String peer) {
        this.peer = peer;
    }

    /** Returns the name of the other side. */
    String peer() {
        return peer;
    }

    /**
     * Registers a call for the reader of the connection.
     *
     * @param wanted the XID of the call, if the caller chose one
     * @return the XID of the call
     * @throws RpcException if the connection is lost
     * @throws IllegalArgumentException if another call has that XID
     */
    int register(OptionalInt wanted, PendingReply pending) throws RpcException {
        int xid = wanted.orElseGet(lastXid::incrementAndGet);
        while (calls.putIfAbsent(xid, pending) != null) {
            if (wanted.isPresent()) {
                throw new IllegalArgumentException("another call has that XID");
            }
            xid = lastXid.incrementAndGet();
        }
        var reason = lossReason.get();
        if (reason != null) {
            calls.remove(xid);
            throw connectionLost(reason);
        }
        return xid;
    }

    /**
     * Unregisters a call that has not taken its reply. A reply that has arrived or arrives later is
     * dropped.
     */
    void abandon(int xid, PendingReply pending) {
        forget(xid, pending);
        pending.abandon();
    }

    /** Unregisters a call. */
    void forget(int xid, PendingReply pending) {
        calls.remove(xid, pending);
    }

    /**
     * Delivers a reply to its caller.
     *
     * @return whether a caller waits for it; if not, the reader of the connection keeps the reply
     */
    boolean deliver(int xid, ReceivedRecord reply) {
        var pending = calls.remove(xid);
        return pending != null && pending.answer(new PendingReply.Answer.Arrived(reply));
    }

    /**
     * Notes the deadline of a begun call.
     *
     * @return whether it is before all others, so that the reader of the connection must ask {@link
     *     #nanosUntilLate} again
     */
    synchronized boolean watch(long deadline) {
        if (hasDeadline && deadline - earliest >= 0) {
            return false;
        }
        hasDeadline = true;
        earliest = deadline;
        return true;
    }

    /** Returns after how many nanoseconds {@link #expire} may have work; at most a long time. */
    synchronized long nanosUntilLate(long now) {
        return hasDeadline ? Math.max(0, earliest - now) : Long.MAX_VALUE;
    }

    /** Ends the begun calls whose time is up. */
    void expire(long now) {
        if (nanosUntilLate(now) > 0) {
            return;
        }
        synchronized (this) {
            // A call that begins from here on tells its deadline anew.
            hasDeadline = false;
        }
        calls.forEach(
                (xid, pending) -> {
                    if (!(pending instanceof BegunCall begun)) {
                        return;
                    }
                    if (begun.deadline().left(now) > 0) {
                        watch(begun.deadline().at());
                    } else if (calls.remove(xid, begun)) {
                        begun.answer(new PendingReply.Answer.Late());
                    }
                });
    }

    /** Returns whether no call waits for a reply. */
    boolean isEmpty() {
        return calls.isEmpty();
    }

    /** Returns the reason why the connection was lost; empty if it is open. */
    Optional<String> lossReason() {
        return Optional.ofNullable(lossReason.get());
    }

    /**
     * Marks the connection as lost. The first reason stays.
     *
     * @return whether this is the first reason; the caller then closes the connection and calls
     *     {@link #failAll}
     */
    boolean lose(String reason) {
        return lossReason.compareAndSet(null, reason == null ? "unknown reason" : reason);
    }

    /** Fails all calls, after the connection was lost. One whose receiver throws stops no other. */
    void failAll() {
        for (int xid : calls.keySet()) {
            var pending = calls.remove(xid);
            if (pending != null) {
                fail(pending);
            }
        }
    }

    private void fail(PendingReply pending) {
        try {
            pending.answer(new PendingReply.Answer.Lost(lossReason.get()));
        } catch (RuntimeException | Error broken) {
            FAILURES.report("the receiver of a call failed", broken);
        }
    }

    RpcException.ConnectionLost connectionLost() {
        return connectionLost(lossReason.get());
    }

    RpcException.ConnectionLost connectionLost(String reason) {
        return new RpcException.ConnectionLost(
                "the connection to " + peer + " was lost: " + reason, null);
    }

    RpcException.TimedOut timedOut(Duration timeout) {
        return new RpcException.TimedOut(
                "no reply from " + peer + " within " + Timeouts.words(timeout));
    }
}
