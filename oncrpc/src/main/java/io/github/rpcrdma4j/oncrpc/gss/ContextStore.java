package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The contexts of a server by their handles: bounded in number, in age and in idleness. A principal
 * with many contexts loses its own, and so does a client that begins many and completes none. Not
 * thread-safe.
 *
 * @param <C> what is kept
 */
final class ContextStore<C> {
    /** Contexts that calls may use; above it the principal with the most loses one. */
    static final int ESTABLISHED_MAX = 4096;

    /** Those of one principal; above it the one of its own goes that was idle for longest. */
    static final int PRINCIPAL_MAX = 128;

    /** Contexts that are being agreed on; above it the client with the most loses one. */
    static final int NEGOTIATING_MAX = 256;

    /** Those of one client; above it the one of its own goes that was idle for longest. */
    static final int CLIENT_NEGOTIATING_MAX = 16;

    /** How long to agree on a context may take, in nanoseconds. */
    static final long NEGOTIATION_NANOS = 30_000_000_000L;

    /** How long a context may be idle, in nanoseconds. */
    static final long IDLE_NANOS = 3_600_000_000_000L;

    /**
     * How old a context may get, in nanoseconds, whatever its mechanism says; then its caller needs
     * a valid ticket again.
     */
    static final long LIFETIME_NANOS = 3_600_000_000_000L;

    /**
     * How old a context may get at least, in nanoseconds: clocks differ, and a ticket that is taken
     * at its very end is to do for the calls that it was got for.
     */
    static final long LEAST_LIFETIME_NANOS = 5_000_000_000L;

    private final OwnedContexts<C> established =
            new OwnedContexts<>(ESTABLISHED_MAX, PRINCIPAL_MAX, IDLE_NANOS);
    private final OwnedContexts<C> negotiating =
            new OwnedContexts<>(NEGOTIATING_MAX, CLIENT_NEGOTIATING_MAX, NEGOTIATION_NANOS);

    /** Whether a handle is taken. */
    boolean holds(long handle) {
        return established.holds(handle) || negotiating.holds(handle);
    }

    /**
     * Keeps a context that is being agreed on.
     *
     * @param handle one that is not taken
     * @param client who began it
     * @param now in nanoseconds, of any origin
     * @return what is not kept any more
     */
    List<C> negotiate(long handle, ClientAddress client, C context, long now) {
        return negotiating.put(handle, client, context, NEGOTIATION_NANOS, now);
    }

    /**
     * Keeps a context that calls may use; otherwise like {@link #negotiate}.
     *
     * @param principal whose it is
     * @param lifeNanos how long its mechanism lets it be used, in nanoseconds
     */
    List<C> establish(long handle, String principal, C context, long lifeNanos, long now) {
        negotiating.remove(handle);
        long life = Math.max(LEAST_LIFETIME_NANOS, Math.min(lifeNanos, LIFETIME_NANOS));
        var shed = new ArrayList<>(negotiating.shed(now));
        shed.addAll(established.put(handle, principal, context, life, now));
        return shed;
    }

    /** A context that is not too old; to find it is to use it. */
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

    /** All of them; they are kept no more. */
    List<C> clear() {
        var all = new ArrayList<>(established.clear());
        all.addAll(negotiating.clear());
        return all;
    }

    /** Takes out what is too old. */
    List<C> shed(long now) {
        var shed = new ArrayList<>(established.shed(now));
        shed.addAll(negotiating.shed(now));
        return shed;
    }
}
