package io.github.rpcrdma4j.oncrpc.gss;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Contexts by their handles, bounded for each owner and over all. An owner at its bound loses the
 * context of its own that was used longest ago. At the bound over all the owner with the most does,
 * of several such owners the one whose context was used longest ago. Not thread-safe.
 *
 * @param <C> what is kept
 */
final class OwnedContexts<C> {
    private static final class Kept<C> {
        final C context;
        final Object owner;
        final long ends;
        long used;

        Kept(C context, Object owner, long ends, long used) {
            this.context = context;
            this.owner = owner;
            this.ends = ends;
            this.used = used;
        }
    }

    private final int max;
    private final int ownerMax;
    private final long idleNanos;

    /** The one that was used longest ago comes first. */
    private final LinkedHashMap<Long, Kept<C>> all = new LinkedHashMap<>();

    /** Those of each owner that has some, in the same order. */
    private final Map<Object, LinkedHashMap<Long, Kept<C>>> owned = new HashMap<>();

    /**
     * @param idleNanos how long a context is kept that is not used
     */
    OwnedContexts(int max, int ownerMax, long idleNanos) {
        this.max = max;
        this.ownerMax = ownerMax;
        this.idleNanos = idleNanos;
    }

    boolean holds(long handle) {
        return all.containsKey(handle);
    }

    int size() {
        return all.size();
    }

    /**
     * Keeps a context.
     *
     * @param handle one that is not taken
     * @param lifeNanos how long it may be used
     * @param now in nanoseconds, of any origin
     * @return what is not kept any more
     */
    List<C> put(long handle, Object owner, C context, long lifeNanos, long now) {
        var kept = new Kept<>(context, owner, now + lifeNanos, now);
        all.put(handle, kept);
        var own = owned.computeIfAbsent(owner, _ -> new LinkedHashMap<>());
        own.put(handle, kept);
        var shed = shed(now);
        if (own.size() > ownerMax) {
            shed.add(remove(own.firstEntry().getKey()).orElseThrow());
        }
        if (all.size() > max) {
            shed.add(remove(nextToGo()).orElseThrow());
        }
        return shed;
    }

    private long nextToGo() {
        return owned.values().stream()
                .max(
                        Comparator.comparingInt((LinkedHashMap<Long, Kept<C>> own) -> own.size())
                                .thenComparing(own -> -own.firstEntry().getValue().used))
                .orElseThrow()
                .firstEntry()
                .getKey();
    }

    /** A context whose time is not over; to find it is to use it. */
    Optional<C> find(long handle, long now) {
        var kept = all.get(handle);
        if (kept == null || isOver(kept, now)) {
            return Optional.empty();
        }
        kept.used = now;
        all.putLast(handle, kept);
        owned.get(kept.owner).putLast(handle, kept);
        return Optional.of(kept.context);
    }

    private boolean isOver(Kept<C> kept, long now) {
        return now - kept.used >= idleNanos || now - kept.ends >= 0;
    }

    /** Returns what it was; empty if it is not kept. */
    Optional<C> remove(long handle) {
        var kept = all.remove(handle);
        if (kept == null) {
            return Optional.empty();
        }
        var own = owned.get(kept.owner);
        own.remove(handle);
        if (own.isEmpty()) {
            owned.remove(kept.owner);
        }
        return Optional.of(kept.context);
    }

    /** Takes out what is over, as far as nothing stands before it that was used before. */
    List<C> shed(long now) {
        var shed = new ArrayList<C>();
        while (!all.isEmpty() && isOver(all.firstEntry().getValue(), now)) {
            shed.add(remove(all.firstEntry().getKey()).orElseThrow());
        }
        return shed;
    }

    /** All of them; they are kept no more. */
    List<C> clear() {
        var everything = new ArrayList<C>();
        all.values().forEach(kept -> everything.add(kept.context));
        all.clear();
        owned.clear();
        return everything;
    }
}
