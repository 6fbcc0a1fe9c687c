package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.Action;
import io.github.rpcrdma4j.nfs.server.state.ByteRange;
import io.github.rpcrdma4j.nfs.server.state.FileKey;
import io.github.rpcrdma4j.nfs.server.state.HostName;
import io.github.rpcrdma4j.nfs.server.state.LockOutcome;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.v4.HostLocks.Granting;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Locks that hosts have waited for: asks for them when it is their turn, and tells the hosts. A
 * host that does not get the call loses the lock, and may ask again. Thread-safe.
 */
final class GrantedLocks {
    /** How many locks are being granted, of all hosts and of one: each has a thread. */
    private static final int GRANTS_MAX = 256;

    private static final int GRANTS_OF_HOST_MAX = 16;

    /** How often a host is called at most, and how long after the last time. */
    private static final int CALLS_MAX = 5;

    private static final Duration PAUSE = Duration.ofSeconds(10);

    /** The owner of locks that a host may not know of. */
    private record Owner(HostName host, FileKey file, OpaqueName name) {}

    private final StateDriver state;
    private final LocalLocks local;

    /** Its monitor guards it. */
    private final HostPlaces places = new HostPlaces(GRANTS_MAX, GRANTS_OF_HOST_MAX);

    /** What hosts have not taken yet. The monitor of the map guards it. */
    private final Map<Owner, Set<ByteRange>> untold = new HashMap<>();

    private volatile Granting granting = _ -> Granting.Answer.UNREACHABLE;

    GrantedLocks(StateDriver state, LocalLocks local) {
        this.state = state;
        this.local = local;
    }

    void onGrant(Granting telling) {
        granting = telling;
    }

    /** Grants what is free. Does not wait. Without a place, the state offers the lock again. */
    void start(Action.OfferLock offer) {
        var address = InetAddress.ofLiteral(offer.note().host().address());
        var place = new CallerHost(ClientAddress.of(address));
        synchronized (places) {
            if (!places.take(place)) {
                return;
            }
        }
        Thread.ofVirtual()
                .name("nlm-grant")
                .start(
                        () -> {
                            try {
                                grant(offer);
                            } catch (OperationFailure | StoreException _) {
                                // The state offers the lock again.
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt();
                            } finally {
                                synchronized (places) {
                                    places.giveBack(place);
                                }
                            }
                        });
    }

    private void grant(Action.OfferLock offer)
            throws OperationFailure, StoreException, InterruptedException {
        var outcome = state.on((all, now) -> all.hosts().retry(offer, now));
        var owner = new Owner(offer.note().host(), offer.file(), offer.wanted().owner().name());
        var range = offer.wanted().range();
        if (!(outcome.value() instanceof LockOutcome.Asked)) {
            return;
        }
        await(owner, range);
        try {
            if (local.completed(outcome).value() instanceof LockOutcome.Granted) {
                tell(offer, owner, range);
            }
        } finally {
            take(owner, range);
        }
    }

    private void tell(Action.OfferLock offer, Owner owner, ByteRange range)
            throws InterruptedException, StoreException {
        boolean mayKnow = false;
        for (int calls = 0; calls < CALLS_MAX; calls++) {
            if (calls > 0 && isKnown(owner, range, PAUSE)) {
                return;
            }
            switch (granting.tell(offer.note())) {
                case TAKEN -> {
                    return;
                }
                case REFUSED -> {
                    giveBack(offer, owner, range);
                    return;
                }
                case SILENT -> mayKnow = true;
                case UNREACHABLE -> {}
            }
        }
        if (!mayKnow) {
            // Otherwise the host may count on the lock.
            giveBack(offer, owner, range);
        }
    }

    /** Unlocks, unless the host has learnt of the lock in another way. */
    private void giveBack(Action.OfferLock offer, Owner owner, ByteRange range)
            throws StoreException {
        if (take(owner, range)) {
            state.happen(
                    (all, now) ->
                            all.hosts().unlock(owner.host, owner.file, owner.name, range, now));
            local.settle((ExportedFile) offer.file());
        }
    }

    private void await(Owner owner, ByteRange range) {
        synchronized (untold) {
            untold.computeIfAbsent(owner, _ -> new HashSet<>()).add(range);
        }
    }

    /** Returns whether the host learns of the lock by a call of its own within a time. */
    private boolean isKnown(Owner owner, ByteRange range, Duration time)
            throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        synchronized (untold) {
            while (untold.getOrDefault(owner, Set.of()).contains(range)) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(untold, left);
            }
            return true;
        }
    }

    private boolean take(Owner owner, ByteRange range) {
        synchronized (untold) {
            var ranges = untold.get(owner);
            boolean isTaken = ranges != null && ranges.remove(range);
            if (isTaken && ranges.isEmpty()) {
                untold.remove(owner);
            }
            return isTaken;
        }
    }

    /** A host knows what it has of a range: it has locked or unlocked there. */
    void know(HostName host, FileKey file, OpaqueName name, ByteRange range) {
        var owner = new Owner(host, file, name);
        synchronized (untold) {
            var ranges = untold.get(owner);
            if (ranges != null) {
                ranges.removeIf(each -> each.overlaps(range));
                untold.notifyAll();
                if (ranges.isEmpty()) {
                    untold.remove(owner);
                }
            }
        }
    }
}
