package io.github.rpcrdma4j.oncrpc.gss;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The contexts of a server by their handles: bounded in number, in age and in idleness. Who begins
 * contexts and never completes them costs those who do the same, and nobody else. Not thread-safe.
 *
 * @param <C> what is kept
 */
final class ContextStore<C> {
    /** Contexts that calls may use; above it the one that was idle for longest goes. */
    static final int ESTABLISHED_MAX = 4096;

    /** Contexts that are being agreed on; above it the oldest goes. */
    static final int NEGOTIATING_MAX = 64;

    /** How long to agree on a context may take, in nanoseconds. */
    static final long NEGOTIATION_NANOS = 30_000_000_000L;

    /** How long a context may be idle, in nanoseconds. */
    static final long IDLE_NANOS = 3_600_000_000_000L;

    /** How old a context may get, in nanoseconds; then its caller needs a valid ticket again. */
    static final long LIFETIME_NANOS = 4 * IDLE_NANOS;

    private static final class Kept<C> {
        final C context;
        final long born;
        long used;

        Kept(C context, long born) {
            this.context = context;
            this.born = born;
            this.used = born;
        }

        boolean isOver(long now, long idle, long lifetime) {
            return now - used >= idle || now - born >= lifetime;
        }
    }

    /** The one that was idle for longest comes first. */
    private final LinkedHashMap<Long, Kept<C>> established = new LinkedHashMap<>();

    /** The oldest comes first. */
    private final Map<Long, Kept<C>> negotiating = new LinkedHashMap<>();

    /** Whether a handle is taken. */
    boolean holds(long handle) {
        return established.containsKey(handle) || negotiating.containsKey(handle);
    }

    /**
     * Keeps a context that is being agreed on.
     *
     * @param handle one that is not taken
     * @param now in nanoseconds, of any origin
     * @return what is not kept any more
     */
    List<C> negotiate(long handle, C context, long now) {
        negotiating.put(handle, new Kept<>(context, now));
        return shed(now);
    }

    /** Keeps a context that calls may use; otherwise like {@link #negotiate}. */
    List<C> establish(long handle, C context, long now) {
        negotiating.remove(handle);
        established.put(handle, new Kept<>(context, now));
        return shed(now);
    }

    /** A context that is not too old; to find it is to use it. */
    Optional<C> find(long handle, long now) {
        var kept = established.get(handle);
        if (kept != null && !kept.isOver(now, IDLE_NANOS, LIFETIME_NANOS)) {
            kept.used = now;
            established.putLast(handle, kept);
            return Optional.of(kept.context);
        }
        var begun = negotiating.get(handle);
        return begun == null || begun.isOver(now, NEGOTIATION_NANOS, NEGOTIATION_NANOS)
                ? Optional.empty()
                : Optional.of(begun.context);
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
        var all = new ArrayList<C>();
        established.values().forEach(kept -> all.add(kept.context));
        negotiating.values().forEach(kept -> all.add(kept.context));
        established.clear();
        negotiating.clear();
        return all;
    }

    /** Takes out what is too old or too much. */
    List<C> shed(long now) {
        var shed = new ArrayList<C>();
        shed(established, ESTABLISHED_MAX, now, IDLE_NANOS, LIFETIME_NANOS, shed);
        shed(negotiating, NEGOTIATING_MAX, now, NEGOTIATION_NANOS, NEGOTIATION_NANOS, shed);
        return shed;
    }

    private static <C> void shed(
            Map<Long, Kept<C>> from, int max, long now, long idle, long lifetime, List<C> shed) {
        var each = from.values().iterator();
        while (each.hasNext()) {
            var kept = each.next();
            boolean tooMany = from.size() > max;
            if (tooMany || kept.isOver(now, idle, lifetime)) {
                each.remove();
                shed.add(kept.context);
            } else {
                // Those behind were used later; whose life is over is found when it is asked for.
                return;
            }
        }
    }
}
