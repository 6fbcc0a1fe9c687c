package io.github.rpcrdma4j.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Registrations that no region uses now, for the next region with the same memory: to pin pages
 * takes long, and callers pass the same memory again and again. Thread-safe.
 *
 * <p>No registration here gives a peer access: windows of type 2 do that, and they end with their
 * call. No posted work refers to one, so nothing is read or written through it.
 *
 * <p>A registration is used again only for memory of the same arena. An arena that was closed had
 * other pages, even if another arena now has its addresses. Memory of the global arena is never
 * cached: foreign memory without an arena counts as such, and may be freed and allocated again.
 */
final class CachedRegistrations {
    private final int countMax;
    private final long bytesMax;
    private final LongConsumer deregistration;

    /** The registrations, the longest unused first. Guarded by this, as are the next two. */
    private final Map<Key, Cached> all = new LinkedHashMap<>();

    private long bytes;
    private boolean closed;

    private record Key(long address, long length, int access) {
        static Key of(MemorySegment memory, int access) {
            return new Key(memory.address(), memory.byteSize(), access);
        }
    }

    /** A registration, whose memory may be collected meanwhile. */
    private record Cached(WeakReference<MemorySegment.Scope> scope, long mr) {
        boolean isOf(MemorySegment memory) {
            var known = scope.get();
            return known != null && known.isAlive() && known.equals(memory.scope());
        }

        boolean isObsolete() {
            var known = scope.get();
            return known == null || !known.isAlive();
        }
    }

    /**
     * @param countMax the most registrations
     * @param bytesMax the most bytes of all of them
     * @param deregistration ends a registration
     */
    CachedRegistrations(int countMax, long bytesMax, LongConsumer deregistration) {
        this.countMax = countMax;
        this.bytesMax = bytesMax;
        this.deregistration = deregistration;
    }

    /** Takes the registration of exactly this memory; 0 if there is none. */
    long take(MemorySegment memory, int access) {
        Cached cached;
        synchronized (this) {
            cached = remove(Key.of(memory, access));
        }
        if (cached == null) {
            return 0;
        }
        if (cached.isOf(memory)) {
            return cached.mr;
        }
        deregistration.accept(cached.mr);
        return 0;
    }

    /** Keeps the registration of some memory, or ends it. */
    void give(MemorySegment memory, int access, long mr) {
        var dropped = new ArrayList<Cached>();
        var given = new Cached(new WeakReference<>(memory.scope()), mr);
        synchronized (this) {
            if (closed
                    || memory.byteSize() > bytesMax
                    || given.isObsolete()
                    || memory.scope().equals(Arena.global().scope())) {
                dropped.add(given);
            } else {
                var key = Key.of(memory, access);
                var other = remove(key);
                if (other != null) {
                    dropped.add(other);
                }
                all.put(key, given);
                bytes += key.length;
                while (all.size() > countMax || bytes > bytesMax) {
                    dropped.add(remove(all.keySet().iterator().next()));
                }
            }
        }
        end(dropped);
    }

    private Cached remove(Key key) {
        var cached = all.remove(key);
        bytes -= cached == null ? 0 : key.length;
        return cached;
    }

    private void end(List<Cached> dropped) {
        Steps.forEach(dropped, each -> deregistration.accept(each.mr));
    }

    /** Ends the registrations of memory whose arena was closed or collected. */
    void tidy() {
        var dropped = new ArrayList<Cached>();
        synchronized (this) {
            for (var key : List.copyOf(all.keySet())) {
                if (all.get(key).isObsolete()) {
                    dropped.add(remove(key));
                }
            }
        }
        end(dropped);
    }

    /** Ends all registrations. Returns whether there was one. */
    boolean clear() {
        List<Cached> dropped;
        synchronized (this) {
            dropped = List.copyOf(all.values());
            all.clear();
            bytes = 0;
        }
        end(dropped);
        return !dropped.isEmpty();
    }

    /** Ends all registrations, and caches none from now on. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        clear();
    }

    /** Returns how many registrations there are. */
    synchronized int size() {
        return all.size();
    }
}
