package io.github.rpcrdma4j.oncrpc;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

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
 * Not thread-safe. Time comes from outside.
 */
final class DuplicateRequestCache {
    /** Calls that are known at a time; above it the one that was done first goes. */
    static final int ENTRIES_MAX = 4096;

    /** Octets of replies that are kept at a time; above it the one that was done first goes. */
    static final long OCTETS_MAX = 8L << 20;

    /** How long a reply is kept, in nanoseconds. */
    static final long AGE_NANOS = 120_000_000_000L;

    /**
     * What makes two calls the same. A client may come back from another port, and an XID that it
     * uses anew goes with other arguments.
     *
     * @param caller as it was let in: two calls of a context of RPCSEC_GSS have different
     *     credentials
     * @param client its address, without port
     */
    record Request(
            int xid,
            int program,
            int version,
            int procedure,
            Credential caller,
            String client,
            Arguments arguments) {
        private Key key() {
            return new Key(xid, program, version, procedure, caller, client, arguments.gist);
        }
    }

    /**
     * What is looked at of arguments. Only who decodes them can tell where padding stands in them,
     * so padded ones are compared by what padding does not change.
     *
     * @param gist a checksum of the octets that are not zero
     * @param checksum of all
     * @param octets how long they are
     * @param isPadded whether zeros may stand before items to align them
     */
    record Arguments(int gist, int checksum, long octets, boolean isPadded) {
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
            String client,
            int gist) {}

    /** What is to be done with a call. */
    sealed interface Verdict {
        /** It is new: carry it out, then say {@link #done} or {@link #forget}. */
        record CarryOut() implements Verdict {}

        /** It is new, but there is no room to remember it: carry it out, and say nothing. */
        record CarryOutUnknown() implements Verdict {}

        /** It is being carried out: ask {@link #awaited} when something has changed. */
        record Await() implements Verdict {}

        /** It was carried out: give this. */
        record Repeat(KeptReply reply) implements Verdict {}

        /** Somebody else answers it, or nobody can. */
        record Drop() implements Verdict {}
    }

    private static final class InProgress {
        final Arguments arguments;

        /** The newest connection that the call came by. */
        Object newest;

        InProgress(Arguments arguments, Object connection) {
            this.arguments = arguments;
            newest = connection;
        }
    }

    private record Done(Arguments arguments, KeptReply reply, long since, Object newest) {}

    private final Map<Key, InProgress> inProgress = new HashMap<>();

    /** The one that was done first comes first. */
    private final LinkedHashMap<Key, Done> done = new LinkedHashMap<>();

    private long octets;

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
            return new Verdict.Await();
        }
        if (known != null) {
            // The client uses the XID anew, so it does not ask again for the other.
            drop(key);
        }
        if (size() >= ENTRIES_MAX) {
            if (done.isEmpty()) {
                return new Verdict.CarryOutUnknown();
            }
            dropFirst();
        }
        inProgress.put(key, new InProgress(request.arguments, connection));
        return new Verdict.CarryOut();
    }

    /**
     * What is to be done now with a call that is to wait. Of those that wait for the same the one
     * that came by the newest connection is answered.
     */
    Verdict awaited(Request request, Object connection) {
        var running = inProgress.get(request.key());
        if (running != null) {
            return running.newest == connection ? new Verdict.Await() : new Verdict.Drop();
        }
        var known = done.get(request.key());
        return known != null && known.newest == connection
                ? new Verdict.Repeat(known.reply)
                : new Verdict.Drop();
    }

    /** A call was carried out. */
    void done(Request request, KeptReply reply, long now) {
        var running = remove(request);
        expire(now);
        done.put(request.key(), new Done(running.arguments, reply, now, running.newest));
        octets += reply.octets();
        while (octets > OCTETS_MAX) {
            dropFirst();
        }
    }

    /** Nothing is known of what became of a call, or it is too much to be kept. */
    void forget(Request request) {
        remove(request);
    }

    private InProgress remove(Request request) {
        var running = inProgress.remove(request.key());
        if (running == null) {
            throw new AssertionError("a call ended that was not being carried out");
        }
        return running;
    }

    private void expire(long now) {
        while (!done.isEmpty() && now - done.firstEntry().getValue().since >= AGE_NANOS) {
            dropFirst();
        }
    }

    private void dropFirst() {
        drop(done.firstEntry().getKey());
    }

    private void drop(Key key) {
        octets -= done.remove(key).reply.octets();
    }

    /** Calls that are known now. */
    int size() {
        return inProgress.size() + done.size();
    }

    /** Octets of replies that are kept now. */
    long octets() {
        return octets;
    }
}
