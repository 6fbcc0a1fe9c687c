package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.driver.HostLocks.Granting;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Locks that hosts have waited for: asks for them when it is their turn, and tells the hosts. A
 * host that does not get the call loses the lock, and may ask again. Thread-safe.
 *
 * <p>Tests: {@code WaitingHostsTest}, {@code HangingGrantsTest}.
 */
final class GrantedLocks implements AutoCloseable {
    /** How many locks are being granted, of all hosts and of one: each has a thread and a call. */
    private static final int GRANTS_MAX = 256;

    private static final int GRANTS_OF_HOST_MAX = 16;

    /** How often a host is called at most, and how long after the last time. */
    private static final int CALLS_MAX = 5;

    private static final Duration PAUSE = Duration.ofSeconds(10);

    private static final Duration CLOSE_TIME = Duration.ofSeconds(3);

    /** How long a reply waits for a call. */
    private static final Duration CALL_TIME = Duration.ofSeconds(20);

    private final StateDriver state;
    private final LocalLocks local;
    private final HostThreads grants;

    /** The calls in progress, by the numbers of what is held for their hosts. */
    private final Map<Long, CompletableFuture<Void>> calls = new ConcurrentHashMap<>();

    /** Its monitor guards it, and whether there may be more of them. */
    private final Set<Thread> threads = new HashSet<>();

    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Granting granting = _ -> GrantAnswer.UNREACHABLE;

    GrantedLocks(StateDriver state, LocalLocks local, FailureLog failures) {
        this.state = state;
        this.grants =
                new HostThreads(
                        GRANTS_MAX,
                        GRANTS_OF_HOST_MAX,
                        "nlm-grant",
                        failures,
                        "a lock was not granted to the host that waits for it");
        this.local = local;
    }

    void onGrant(Granting telling) {
        granting = telling;
    }

    /** Grants what is free. Does not wait. Without a thread, the state offers the lock again. */
    void start(Action.OfferLock offer) {
        grants.start(offer.place(), permit -> run(offer, permit));
    }

    private void run(Action.OfferLock offer, HostThreads.Permit permit) {
        synchronized (threads) {
            if (closed.getCount() == 0) {
                return;
            }
            threads.add(Thread.currentThread());
        }
        try {
            grant(offer, permit);
        } catch (OperationFailure | StoreException _) {
            // The state offers the lock again.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (threads) {
                threads.remove(Thread.currentThread());
            }
        }
    }

    private void grant(Action.OfferLock offer, HostThreads.Permit permit)
            throws OperationFailure, StoreException, InterruptedException {
        var asked = state.on((all, now) -> all.hosts().retry(offer, now));
        if (!(asked.value() instanceof LockOutcome.Asked(var number))) {
            return;
        }
        var outcome = local.completed(asked);
        if (outcome.value() instanceof LockOutcome.Held) {
            try {
                // A host that had it before cannot reclaim it any more.
                state.stored(outcome);
                tell(offer, number, permit);
            } finally {
                state.happen((all, now) -> all.hosts().toldLast(number, now));
            }
        }
    }

    /**
     * Tells a host, until it has answered or is known to know. Between two calls others have the
     * permit. If there is none then, the call is left out.
     */
    private void tell(Action.OfferLock offer, long number, HostThreads.Permit permit)
            throws InterruptedException {
        for (int i = 0; i < CALLS_MAX; i++) {
            boolean isClosed = closed.await(i == 0 ? 0 : PAUSE.toNanos(), TimeUnit.NANOSECONDS);
            if (isClosed || permit.take() && !isToldAgain(offer, number)) {
                return;
            }
            permit.giveBack();
        }
    }

    /** Tells a host once, if it has to be told. Returns whether it has to be told again. */
    private boolean isToldAgain(Action.OfferLock offer, long number) throws InterruptedException {
        var call = new CompletableFuture<Void>();
        calls.put(number, call);
        try {
            if (!state.happen((all, now) -> all.hosts().tell(number, now)).value()) {
                return false;
            }
            var answer = granting.tell(offer.note());
            return state.happen((all, now) -> all.hosts().told(number, answer, now)).value();
        } finally {
            calls.remove(number);
            call.complete(null);
        }
    }

    /** Waits for the calls that an event has made void, before the reply to its host. */
    void awaitCalls(Outcome<?> outcome) {
        for (var action : outcome.actions()) {
            if (action instanceof Action.AwaitCall(long number)) {
                try {
                    calls.getOrDefault(number, CompletableFuture.completedFuture(null))
                            .get(CALL_TIME.toNanos(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException _) {
                    // Each step of a call has a bound, so this one ends soon.
                } catch (ExecutionException impossible) {
                    throw new IllegalStateException(impossible);
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Grants nothing any more, and calls no host. Waits a little for the threads. */
    @Override
    public void close() {
        List<Thread> last;
        synchronized (threads) {
            closed.countDown();
            last = List.copyOf(threads);
        }
        last.forEach(Thread::interrupt);
        long end = System.nanoTime() + CLOSE_TIME.toNanos();
        try {
            for (var each : last) {
                each.join(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
