package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.spi.CallIdentity.Arguments;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The calls that a server carries out now or carried out recently, with their replies. A client
 * whose connection was lost sends a call again, and cannot know whether the server carried it out.
 *
 * <pre>
 *               arrived                   done
 *   (unknown) ------------> in progress ---------> done ---> (unknown)
 *               EXECUTE        |    ^      \                  too old, or no room
 *                              `----'       `- - > (unknown)
 *                 arrived: AWAIT, DROP      forget
 * </pre>
 *
 * The cache counts in units: one for a call, and one more for each KiB of its reply beyond the
 * first. There is a bound for each client and a bound for all clients together. A client at its own
 * bound loses its oldest replies. At the common bound, the client with the most units loses its
 * oldest reply. Among several such clients, it is the one with the oldest reply. So a client never
 * loses a reply in favor of a client that keeps more. With N clients, each keeps its newest
 * replies, up to {@link #UNITS_MAX} / N units. With more clients than units, the cache drops the
 * oldest reply of all.
 *
 * <p>Not thread-safe. The caller supplies the time.
 */
final class DuplicateRequestCache {
    /** The most units of all clients together: at most 16,384 calls and 16 MiB of replies. */
    static final int UNITS_MAX = 16_384;

    /** The most units of one client. */
    static final int CLIENT_UNITS_MAX = 2048;

    /** The bytes of a reply that one unit covers. */
    static final int UNIT_BYTES = 1024;

    /** The time for which the cache keeps a reply, in nanoseconds. */
    static final long AGE_NANOS = 120_000_000_000L;

    /**
     * A call.
     *
     * @param client the client to which the call's units count
     */
    record Request(CallIdentity identity, ClientAddress client, Arguments arguments) {}

    /** The decision on a call. */
    sealed interface Verdict {
        /**
         * The call is new: the server carries it out, then calls {@link #done} or {@link #forget}.
         */
        record Execute() implements Verdict {}

        /**
         * The call is new, but there is no room to remember it: the server carries it out, and
         * reports nothing to the cache.
         */
        record ExecuteUnrecorded() implements Verdict {}

        /**
         * The call is in progress: the caller waits, and calls {@link #awaited} when the execution
         * has ended, or when the call arrived on another connection.
         *
         * @param execution the execution that the call waits for, compared by identity
         */
        record Await(Object execution) implements Verdict {}

        /** The call was carried out: the server sends this reply again. */
        record Repeat(CachedReply reply) implements Verdict {}

        /**
         * The call gets no reply here: another connection gets it, or there is none.
         *
         * @param isForgotten whether the call waited for an execution that was forgotten, so that
         *     the cache knows no such call any more
         */
        record Drop(boolean isForgotten) implements Verdict {}
    }

    private static final class InProgress {
        final Arguments arguments;
        final Share share;

        /** The newest connection on which the call arrived. */
        Object newest;

        InProgress(Arguments arguments, Share share, Object connection) {
            this.arguments = arguments;
            this.share = share;
            newest = connection;
        }
    }

    /**
     * A call that was carried out.
     *
     * @param number the serial number of its completion; lower numbers are older
     */
    private record Done(
            Arguments arguments,
            CachedReply reply,
            Share share,
            long since,
            long number,
            Object newest) {
        int units() {
            return 1 + (int) (Math.max(0, reply.bytes() - 1) / UNIT_BYTES);
        }
    }

    /** The cached calls of one client. */
    private static final class Share {
        final ClientAddress client;

        /** The oldest reply comes first. */
        final LinkedHashMap<CallIdentity, Done> done = new LinkedHashMap<>();

        int doneUnits;
        int inProgress;

        Share(ClientAddress client) {
            this.client = client;
        }

        int units() {
            return doneUnits + inProgress;
        }

        long oldest() {
            return done.firstEntry().getValue().number;
        }
    }

    /** Orders clients so that the next client to lose a reply comes first. */
    private static final Comparator<Share> EVICTION_ORDER =
            Comparator.comparingInt((Share share) -> -share.doneUnits)
                    .thenComparingLong(Share::oldest);

    private final Map<CallIdentity, InProgress> inProgress = new HashMap<>();

    /** The oldest reply comes first. */
    private final LinkedHashMap<CallIdentity, Done> done = new LinkedHashMap<>();

    /** The kept replies to calls that arrived last on a connection. */
    private final Map<Object, Set<CallIdentity>> arrivedOn = new IdentityHashMap<>();

    /** The clients with calls in progress or kept replies. */
    private final Map<ClientAddress, Share> shares = new HashMap<>();

    /**
     * The clients with kept replies. A share is removed before its sort key changes, and added
     * again afterwards.
     */
    private final TreeSet<Share> evictable = new TreeSet<>(EVICTION_ORDER);

    private int units;
    private long bytes;
    private long count;

    /**
     * Decides on an arriving call.
     *
     * @param connection the connection on which the call arrived, compared by identity
     * @param now nanoseconds of any origin
     */
    Verdict arrived(Request request, Object connection, long now) {
        expire(now);
        var key = request.identity;
        var known = done.get(key);
        if (known != null && known.arguments.mayBe(request.arguments)) {
            return new Verdict.Repeat(known.reply);
        }
        var running = inProgress.get(key);
        if (running != null) {
            if (!running.arguments.mayBe(request.arguments)) {
                return new Verdict.ExecuteUnrecorded();
            }
            if (running.newest == connection) {
                return new Verdict.Drop(false);
            }
            running.newest = connection;
            return new Verdict.Await(running);
        }
        if (known != null) {
            // The client reuses the XID, so it will not repeat the older call.
            drop(key);
        }
        if (!hasRoom(request.client)) {
            return new Verdict.ExecuteUnrecorded();
        }
        var share = shares.computeIfAbsent(request.client, Share::new);
        share.inProgress++;
        units++;
        inProgress.put(key, new InProgress(request.arguments, share, connection));
        return new Verdict.Execute();
    }

    /**
     * Makes room for one more unit of a client by dropping kept replies. Returns false if there are
     * none.
     */
    private boolean hasRoom(ClientAddress client) {
        var share = shares.get(client);
        if (share != null && share.units() >= CLIENT_UNITS_MAX) {
            if (share.done.isEmpty()) {
                return false;
            }
            dropFirst(share);
        }
        if (units >= UNITS_MAX) {
            if (evictable.isEmpty()) {
                return false;
            }
            dropFirst(evictable.first());
        }
        return true;
    }

    /**
     * Decides again on a waiting call. Among repetitions of one call, only the one on the newest
     * connection gets a reply.
     */
    Verdict awaited(Request request, Object connection) {
        var running = inProgress.get(request.identity);
        if (running != null) {
            return running.newest == connection
                    ? new Verdict.Await(running)
                    : new Verdict.Drop(false);
        }
        var known = done.get(request.identity);
        return known != null && known.newest == connection
                ? new Verdict.Repeat(known.reply)
                : new Verdict.Drop(known == null);
    }

    /**
     * Records the reply of a completed call.
     *
     * @return the execution for which its repetitions wait
     */
    Object done(Request request, CachedReply reply, long now) {
        var running = end(request);
        expire(now);
        var share = shares.computeIfAbsent(request.client, Share::new);
        var kept = new Done(running.arguments, reply, share, now, count++, running.newest);
        if (!share.done.isEmpty()) {
            evictable.remove(share);
        }
        done.put(request.identity, kept);
        arrivedOn.computeIfAbsent(kept.newest, _ -> new HashSet<>()).add(request.identity);
        share.done.put(request.identity, kept);
        share.doneUnits += kept.units();
        evictable.add(share);
        units += kept.units();
        bytes += reply.bytes();
        while (share.units() > CLIENT_UNITS_MAX) {
            dropFirst(share);
        }
        while (units > UNITS_MAX) {
            dropFirst(evictable.first());
        }
        return running;
    }

    /**
     * Removes a call whose outcome is unknown, or whose reply is too long to keep.
     *
     * @return the execution for which its repetitions wait
     */
    Object forget(Request request) {
        return end(request);
    }

    /**
     * Drops the replies to calls that arrived last on a connection.
     *
     * @param connection compared by identity
     */
    void left(Object connection) {
        List.copyOf(arrivedOn.getOrDefault(connection, Set.of())).forEach(this::drop);
    }

    private InProgress end(Request request) {
        var running = inProgress.remove(request.identity);
        if (running == null) {
            throw new AssertionError("a call ended that was not being carried out");
        }
        units--;
        running.share.inProgress--;
        removeIfEmpty(running.share);
        return running;
    }

    private void expire(long now) {
        while (!done.isEmpty() && now - done.firstEntry().getValue().since >= AGE_NANOS) {
            drop(done.firstEntry().getKey());
        }
    }

    private void dropFirst(Share share) {
        drop(share.done.firstEntry().getKey());
    }

    private void drop(CallIdentity key) {
        var dropped = done.remove(key);
        var others = arrivedOn.get(dropped.newest);
        others.remove(key);
        if (others.isEmpty()) {
            arrivedOn.remove(dropped.newest);
        }
        var share = dropped.share;
        evictable.remove(share);
        share.done.remove(key);
        share.doneUnits -= dropped.units();
        if (!share.done.isEmpty()) {
            evictable.add(share);
        }
        units -= dropped.units();
        bytes -= dropped.reply.bytes();
        removeIfEmpty(share);
    }

    private void removeIfEmpty(Share share) {
        if (share.done.isEmpty() && share.inProgress == 0) {
            shares.remove(share.client);
        }
    }

    /** Returns the number of calls in progress and kept replies. */
    int size() {
        return inProgress.size() + done.size();
    }

    /** Returns the number of clients in the cache. */
    int clients() {
        return shares.size();
    }

    /** Returns the bytes of all kept replies. */
    long bytes() {
        return bytes;
    }
}
