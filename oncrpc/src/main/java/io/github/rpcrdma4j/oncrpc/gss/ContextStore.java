package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The contexts of a server by their handles, with bounds on number, age and idle time. A principal
 * with too many contexts loses its own. So does a client that begins many contexts and completes
 * none. Not thread-safe.
 *
 * @param <C> the type of a context
 */
final class ContextStore<C> {
    /** The most established contexts. Above it, the principal with the most contexts loses one. */
    static final int ESTABLISHED_MAX = 4096;

    /**
     * The most established contexts of one principal. Above it, the principal loses its longest
     * idle one.
     */
    static final int PRINCIPAL_MAX = 128;

    /**
     * The most contexts under negotiation. Above it, the client with the most contexts loses one.
     */
    static final int NEGOTIATING_MAX = 256;

    /**
     * The most contexts under negotiation of one client. Above it, the client loses its longest
     * idle one.
     */
    static final int CLIENT_NEGOTIATING_MAX = 16;

    /** The longest negotiation of a context, in nanoseconds. */
    static final long NEGOTIATION_NANOS = 30_000_000_000L;

    /** The longest idle time of a context, in nanoseconds. */
    static final long IDLE_NANOS = 3_600_000_000_000L;

    /**
     * The longest life of a context, in nanoseconds, even if its mechanism allows more. After it,
     * the caller needs a valid ticket again.
     */
    static final long LIFETIME_NANOS = 3_600_000_000_000L;

    /**
     * The shortest life of a context, in nanoseconds. Clocks differ, and a ticket that is accepted
     * just before its end must suffice for the calls that needed it.
     */
    static final long LEAST_LIFETIME_NANOS = 5_000_000_000L;

    private final OwnedContexts<C> established =
            new OwnedContexts<>(ESTABLISHED_MAX, PRINCIPAL_MAX, IDLE_NANOS);
    private final OwnedContexts<C> negotiating =
            new OwnedContexts<>(NEGOTIATING_MAX, CLIENT_NEGOTIATING_MAX, NEGOTIATION_NANOS);

    /** Returns whether a handle is in use. */
    boolean holds(long handle) {
        return established.holds(handle) || negotiating.holds(handle);
    }

    /**
     * Adds a context under negotiation.
     *
     * @param handle a handle that is not in use
     * @param client the client that began the context
     * @param now the time in nanoseconds, of any origin
     * @return the contexts that were removed to make room, or because they are too old
     */
    List<C> negotiate(long handle, ClientAddress client, C context, long now) {
        return negotiating.put(handle, client, context, NEGOTIATION_NANOS, now);
    }

    /**
     * Adds an established context; otherwise like {@link #negotiate}.
     *
     * @param principal the owner of the context
     * @param lifeNanos the remaining life that its mechanism allows, in nanoseconds
     */
    List<C> establish(long handle, String principal, C context, long lifeNanos, long now) {
        negotiating.remove(handle);
        long life = Math.max(LEAST_LIFETIME_NANOS, Math.min(lifeNanos, LIFETIME_NANOS));
        var evicted = new ArrayList<>(negotiating.evictExpired(now));
        evicted.addAll(established.put(handle, principal, context, life, now));
        return evicted;
    }

    /** Returns a context that is not too old, and counts this as its use. */
    Optional<C> find(long handle, long now) {
        var found = established.find(handle, now);
        return found.isPresent() ? found : negotiating.find(handle, now);
    }

    void remove(long handle) {
        established.remove(handle);
        negotiating.remove(handle);
    }

    int size() {
        return established.size() + negotiating.size();
    }

    /** Removes and returns all contexts. */
    List<C> clear() {
        var all = new ArrayList<>(established.clear());
        all.addAll(negotiating.clear());
        return all;
    }

    /** Removes and returns contexts that are too old. */
    List<C> evictExpired(long now) {
        var evicted = new ArrayList<>(established.evictExpired(now));
        evicted.addAll(negotiating.evictExpired(now));
        return evicted;
    }
}
