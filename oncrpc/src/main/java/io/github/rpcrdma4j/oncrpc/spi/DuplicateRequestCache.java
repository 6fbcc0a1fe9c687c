package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The calls that a server has carried out lately, or is carrying out, with what was answered: a
 * client that lost its connection sends a call again and cannot know whether it was carried out.
 *
 * <pre>
 *               arrived                   done
 *   (unknown) ------------> in progress ---------> done ---> (unknown)
 *              CARRY_OUT       |    ^      \                  too old, or no room
 *                              `----'       `- - > (unknown)
 *                 arrived: AWAIT, DROP      forget
 * </pre>
 *
 * What is kept counts in units: one for a call, and one more for each KiB of its reply beyond the
 * first. The units are bounded for each client and over all. A client at its own bound loses its
 * oldest replies. At the bound over all the client that keeps the most loses its oldest reply, of
 * several such clients the one whose oldest reply is the oldest. So a client never loses a reply
 * for another that keeps more, and with N clients each keeps its newest replies, up to {@link
 * #UNITS_MAX} / N units. With more clients than units the oldest reply of all goes.
 *
 * <p>Not thread-safe. Time comes from outside.
 */
final class DuplicateRequestCache {
    /** Units over all clients: not above 16,384 calls, and 16 MiB of replies. */
    static final int UNITS_MAX = 16_384;

    /** Units of one client. */
    static final int CLIENT_UNITS_MAX = 2048;

    /** Bytes of a reply that one unit has room for. */
    static final int UNIT_BYTES = 1024;

    /** How long a reply is kept, in nanoseconds. */
    static final long AGE_NANOS = 120_000_000_000L;

    /**
     * What makes two calls the same. A client may come back from another port, and an XID that it
     * uses anew goes with other arguments.
     *
     * @param caller as it was let in: two calls of a context of RPCSEC_GSS have different
     *     credentials
     * @param address where it calls from, without port
     * @param client whose units it counts for
     */
    record Request(
            int xid,
            int program,
            int version,
            int procedure,
            Credential caller,
            String address,
            ClientAddress client,
            Arguments arguments) {
        private Key key() {
            return new Key(xid, program, version, procedure, caller, address, arguments.gist);
        }
    }

    /**
     * What is looked at of arguments. Only who decodes them can tell where padding stands in them,
     * so padded ones are compared by what padding does not change.
     *
     * @param gist a checksum of the bytes that are not zero
     * @param checksum of all
     * @param bytes how long they are
     * @param isPadded whether zeros may stand before items to align them
     */
    record Arguments(int gist, int checksum, long bytes, boolean isPadded) {
        private boolean areThoseOf(Request other) {
            var others = other.arguments;
            return isPadded || others.isPadded || equals(others);
        }
    }

    private record Key(
            int xid,
            int program,
            int version,
            int procedure,
            Credential caller,
            String address,
            int gist) {}

    /** What is to be done with a call. */
    sealed interface Verdict {
        /** It is new: carry it out, then say {@link #done} or {@link #forget}. */
        record CarryOut() implements Verdict {}

        /** It is new, but there is no room to remember it: carry it out, and say nothing. */
        record CarryOutUnknown() implements Verdict {}

        /**
         * It is being carried out: ask {@link #awaited} when that has ended, or when it came by
         * another connection.
         *
         * @param execution what is waited for; told apart by identity
         */
        record Await(Object execution) implements Verdict {}

        /** It was carried out: give this. */
        record Repeat(CachedReply reply) implements Verdict {}

        /** Another connection gets the answer, or there is none. */
        record Drop() implements Verdict {}
    }

    private static final class InProgress {
        final Arguments arguments;
        final Share share;

        /** The newest connection that the call came by. */
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
     * @param number of those that were done; the lower was done first
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

    /** What one client has. */
    private static final class Share {
        final ClientAddress client;

        /** The one that was done first comes first. */
        final LinkedHashMap<Key, Done> done = new LinkedHashMap<>();

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

    /** The client first that loses a reply next. */
    private static final Comparator<Share> NEXT_TO_LOSE =
            Comparator.comparingInt((Share share) -> -share.doneUnits)
                    .thenComparingLong(Share::oldest);

    private final Map<Key, InProgress> inProgress = new HashMap<>();

    /** The one that was done first comes first. */
    private final LinkedHashMap<Key, Done> done = new LinkedHashMap<>();

    /** Those that have something. */
    private final Map<ClientAddress, Share> shares = new HashMap<>();

    /** Those that have replies. What they are ordered by changes only while they are not in it. */
    private final TreeSet<Share> losers = new TreeSet<>(NEXT_TO_LOSE);

    private int units;
    private long bytes;
    private long count;

    /**
     * Takes a call.
     *
     * @param connection the one that it came by; told apart by identity
     * @param now nanoseconds of any origin
     */
    Verdict arrived(Request request, Object connection, long now) {
        expire(now);
        var key = request.key();
        var known = done.get(key);
        if (known != null && known.arguments.areThoseOf(request)) {
            return new Verdict.Repeat(known.reply);
        }
        var running = inProgress.get(key);
        if (running != null) {
            if (!running.arguments.areThoseOf(request)) {
                return new Verdict.CarryOutUnknown();
            }
            if (running.newest == connection) {
                return new Verdict.Drop();
            }
            running.newest = connection;
            return new Verdict.Await(running);
        }
        if (known != null) {
            // The client uses the XID anew, so it does not ask again for the other.
            drop(key);
        }
        if (!hasRoom(request.client)) {
            return new Verdict.CarryOutUnknown();
        }
        var share = shares.computeIfAbsent(request.client, Share::new);
        share.inProgress++;
        units++;
        inProgress.put(key, new InProgress(request.arguments, share, connection));
        return new Verdict.CarryOut();
    }

    /** Makes room for one more unit of a client, by replies. */
    private boolean hasRoom(ClientAddress client) {
        var share = shares.get(client);
        if (share != null && share.units() >= CLIENT_UNITS_MAX) {
            if (share.done.isEmpty()) {
                return false;
            }
            dropFirst(share);
        }
        if (units >= UNITS_MAX) {
            if (losers.isEmpty()) {
                return false;
            }
            dropFirst(losers.first());
        }
        return true;
    }

    /**
     * What is to be done now with a call that is to wait. Of those that wait for the same the one
     * that came by the newest connection is answered.
     */
    Verdict awaited(Request request, Object connection) {
        var running = inProgress.get(request.key());
        if (running != null) {
            return running.newest == connection ? new Verdict.Await(running) : new Verdict.Drop();
        }
        var known = done.get(request.key());
        return known != null && known.newest == connection
                ? new Verdict.Repeat(known.reply)
                : new Verdict.Drop();
    }

    /**
     * A call was carried out.
     *
     * @return what its repetitions wait for
     */
    Object done(Request request, CachedReply reply, long now) {
        var running = end(request);
        expire(now);
        var share = shares.computeIfAbsent(request.client, Share::new);
        var kept = new Done(running.arguments, reply, share, now, count++, running.newest);
        if (!share.done.isEmpty()) {
            losers.remove(share);
        }
        done.put(request.key(), kept);
        share.done.put(request.key(), kept);
        share.doneUnits += kept.units();
        losers.add(share);
        units += kept.units();
        bytes += reply.bytes();
        while (share.units() > CLIENT_UNITS_MAX) {
            dropFirst(share);
        }
        while (units > UNITS_MAX) {
            dropFirst(losers.first());
        }
        return running;
    }

    /**
     * Nothing is known of what became of a call, or its reply is too long to be kept.
     *
     * @return what its repetitions wait for
     */
    Object forget(Request request) {
        return end(request);
    }

    private InProgress end(Request request) {
        var running = inProgress.remove(request.key());
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

    private void drop(Key key) {
        var dropped = done.remove(key);
        var share = dropped.share;
        losers.remove(share);
        share.done.remove(key);
        share.doneUnits -= dropped.units();
        if (!share.done.isEmpty()) {
            losers.add(share);
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

    /** Calls that are known now. */
    int size() {
        return inProgress.size() + done.size();
    }

    /** Clients that calls are known of now. */
    int clients() {
        return shares.size();
    }

    /** Bytes of replies that are kept now. */
    long bytes() {
        return bytes;
    }
}
