package io.github.rpcrdma4j.oncrpc.gss;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Contexts by their handles, with a bound for each owner and a bound for all. An owner at its bound
 * loses its least recently used context. At the bound for all, the owner with the most contexts
 * loses its least recently used one. Among several such owners, the one with the least recently
 * used context loses it. Not thread-safe.
 *
 * @param <C> the type of a context
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

    /** All contexts; the least recently used one comes first. */
    private final LinkedHashMap<Long, Kept<C>> all = new LinkedHashMap<>();

    /** The contexts of each owner, in the same order. An owner without contexts has no entry. */
    private final Map<Object, LinkedHashMap<Long, Kept<C>>> owned = new HashMap<>();

    /**
     * @param max the most contexts of all owners
     * @param ownerMax the most contexts of one owner
     * @param idleNanos the time after which an unused context is removed, in nanoseconds
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
     * Adds a context.
     *
     * @param handle a handle that is not in use
     * @param lifeNanos the longest life of the context, in nanoseconds
     * @param now the time in nanoseconds, of any origin
     * @return the contexts that were removed to make room, or because they are too old
     */
    List<C> put(long handle, Object owner, C context, long lifeNanos, long now) {
        var kept = new Kept<>(context, owner, now + lifeNanos, now);
        all.put(handle, kept);
        var own = owned.computeIfAbsent(owner, _ -> new LinkedHashMap<>());
        own.put(handle, kept);
        var evicted = evictExpired(now);
        if (own.size() > ownerMax) {
            evicted.add(remove(own.firstEntry().getKey()).orElseThrow());
        }
        if (all.size() > max) {
            evicted.add(remove(nextToEvict()).orElseThrow());
        }
        return evicted;
    }

    private long nextToEvict() {
        return owned.values().stream()
                .max(
                        Comparator.comparingInt((LinkedHashMap<Long, Kept<C>> own) -> own.size())
                                .thenComparing(own -> -own.firstEntry().getValue().used))
                .orElseThrow()
                .firstEntry()
                .getKey();
    }

    /** Returns a context that is not too old, and counts this as its use. */
    Optional<C> find(long handle, long now) {
        var kept = all.get(handle);
        if (kept == null || isExpired(kept, now)) {
            return Optional.empty();
        }
        kept.used = now;
        all.putLast(handle, kept);
        owned.get(kept.owner).putLast(handle, kept);
        return Optional.of(kept.context);
    }

    private boolean isExpired(Kept<C> kept, long now) {
        return now - kept.used >= idleNanos || now - kept.ends >= 0;
    }

    /** Removes and returns a context. Returns empty if there is none with this handle. */
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

    /**
     * Removes and returns contexts that are too old, from the least recently used one up to the
     * first that is not.
     */
    List<C> evictExpired(long now) {
        var evicted = new ArrayList<C>();
        while (!all.isEmpty() && isExpired(all.firstEntry().getValue(), now)) {
            evicted.add(remove(all.firstEntry().getKey()).orElseThrow());
        }
        return evicted;
    }

    /** Removes and returns all contexts. */
    List<C> clear() {
        var everything = new ArrayList<C>();
        all.values().forEach(kept -> everything.add(kept.context));
        all.clear();
        owned.clear();
        return everything;
    }
}
