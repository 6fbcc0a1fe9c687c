package io.github.rpcrdma4j.rpcrdma.transmission;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The responses of a connection that may have to be sent again because their group was not taken
 * (RTR-X-3). Each is kept for a time, and all together for no more than so many octets: the oldest
 * goes first. What goes is handed back, since it has memory. Times are nanoseconds of any origin.
 * Not thread-safe.
 *
 * @param <T> a response
 */
public final class KeptResponses<T> {
    private record Kept<T>(T response, long octets, long since) {}

    private final long octetsMax;
    private final long holdNanos;
    private final Map<Integer, Kept<T>> kept = new LinkedHashMap<>();
    private long octets;

    public KeptResponses(long octetsMax, long holdNanos) {
        this.octetsMax = octetsMax;
        this.holdNanos = holdNanos;
    }

    /** Octets that are kept. */
    public long octets() {
        return octets;
    }

    /**
     * Keeps a response that was sent.
     *
     * @return those that are kept no more, this one included if it alone is too long
     */
    public List<T> keep(int xid, T response, long length, long now) {
        var gone = new ArrayList<T>();
        take(xid).ifPresent(gone::add);
        if (length > octetsMax) {
            gone.add(response);
            return gone;
        }
        while (octets + length > octetsMax) {
            gone.add(take(kept.keySet().iterator().next()).orElseThrow());
        }
        kept.put(xid, new Kept<>(response, length, now));
        octets += length;
        return gone;
    }

    /** Takes a response out: to send it again, or because it is known to have arrived. */
    public Optional<T> take(int xid) {
        var gone = Optional.ofNullable(kept.remove(xid));
        gone.ifPresent(response -> octets -= response.octets());
        return gone.map(Kept::response);
    }

    /** Those that were kept for long enough. */
    public List<T> expire(long now) {
        var old =
                kept.entrySet().stream()
                        .filter(entry -> now - entry.getValue().since() >= holdNanos)
                        .map(Map.Entry::getKey)
                        .toList();
        return old.stream().map(xid -> take(xid).orElseThrow()).toList();
    }
}
