package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.CallProtection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connect.Endpoint;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The calls of a connection that nobody waits for, until their outcomes are told. One thread at a
 * time tells, without the lock of the connection, so that whoever is told may do what he likes;
 * everything else happens with the lock held.
 */
final class StartedCalls {
    private static final Logger LOG = System.getLogger(StartedCalls.class.getName());

    private static final int SPARE_MAX = 1024;

    private final ReentrantLock lock;
    private final Requester requester;
    private final Runnable flush;
    private final ArrayDeque<StartedCall> ended = new ArrayDeque<>();

    /** Calls whose outcomes were told, to become others. */
    private final ArrayDeque<StartedCall> spare = new ArrayDeque<>();

    /** The newest of those without an answer; they are linked, so that each leaves in no time. */
    private StartedCall newest;

    /** No deadline is earlier; none may be as early. */
    private long earliest;

    private Thread teller;
    private long told;

    /**
     * @param flush lets the calls go that were started so far; with the lock held
     */
    StartedCalls(ReentrantLock lock, Requester requester, Runnable flush) {
        this.lock = lock;
        this.requester = requester;
        this.flush = flush;
    }

    /** A call is about to start. */
    void add(
            RpcCall asked,
            CallProtection protection,
            int xid,
            PendingCall pending,
            long deadline,
            CallOutcome outcome) {
        var call = spare.isEmpty() ? new StartedCall(this) : spare.removeLast();
        call.begin(asked, protection, xid, pending, deadline, outcome);
        if (newest == null) {
            earliest = call.deadline();
        } else {
            earliest = earliest - call.deadline() > 0 ? call.deadline() : earliest;
            newest.next = call;
        }
        call.previous = newest;
        newest = call;
    }

    /** A call has its answer. */
    void ended(StartedCall call) {
        if (call.next == null) {
            newest = call.previous;
        } else {
            call.next.previous = call.previous;
        }
        if (call.previous != null) {
            call.previous.next = call.next;
        }
        ended.addLast(call);
    }

    /** Whether all outcomes were told. */
    boolean isEmpty() {
        return newest == null && ended.isEmpty() && teller == null;
    }

    /** The newest call without an answer; null if there is none. */
    StartedCall newest() {
        return newest;
    }

    /** How many outcomes were told. */
    long told() {
        return told;
    }

    /** Whether this thread tells an outcome now. */
    boolean isTelling() {
        return teller == Thread.currentThread();
    }

    /** How long it is until a call may have to be cancelled. */
    long left(long now) {
        return newest == null ? Long.MAX_VALUE : Math.max(0, earliest - now);
    }

    /** Cancels the calls whose time is up. */
    void expire(long now, String reason) {
        if (left(now) > 0) {
            return;
        }
        long next = Long.MAX_VALUE;
        for (var call = newest; call != null; ) {
            var previous = call.previous;
            if (call.deadline() - now <= 0) {
                requester.cancel(call.pending(), new RpcException.TimedOut(reason));
            } else {
                next = Math.min(next, call.deadline() - now);
            }
            call = previous;
        }
        earliest = now + next;
    }

    /**
     * Tells the outcomes that are due, unless another thread is at it. What is started meanwhile
     * leaves in parts.
     *
     * @return whether something was told
     */
    boolean tell() {
        if (ended.isEmpty() || teller != null) {
            return false;
        }
        teller = Thread.currentThread();
        int part = Endpoint.part(ended.size());
        try {
            for (var call = ended.poll(); call != null; call = ended.poll()) {
                lock.unlock();
                try {
                    call.tell();
                } catch (RuntimeException | Error broken) {
                    // The mistake of one caller is not the fault of others, nor of the thread.
                    LOG.log(Level.ERROR, "whoever was told the outcome of a call failed", broken);
                } finally {
                    lock.lock();
                }
                told++;
                if (told % part == 0) {
                    flush.run();
                }
                call.end();
                if (spare.size() < SPARE_MAX) {
                    spare.addLast(call);
                }
            }
        } finally {
            teller = null;
        }
        return true;
    }
}
