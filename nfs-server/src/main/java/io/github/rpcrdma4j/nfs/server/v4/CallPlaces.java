package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.Host;
import io.github.rpcrdma4j.nfs.server.state.HostPlaces;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Places for the calls of the server that are in progress, shared between hosts and clients.
 * Thread-safe.
 */
final class CallPlaces {
    /** What a call is about. Each kind has its own places, so that none keeps another one out. */
    enum Kind {
        /** CB_GETATTR: other clients decide how many there are. */
        QUESTION(128, 32, 8),
        OTHER(256, 64, 16);

        private final int max;
        private final int ofHostMax;
        private final int ofClientMax;

        Kind(int max, int ofHostMax, int ofClientMax) {
            this.max = max;
            this.ofHostMax = ofHostMax;
            this.ofClientMax = ofClientMax;
        }
    }

    private record Calls(Host host, int count) {}

    /** The calls of one kind. */
    private static final class Places {
        private final Map<Long, Calls> ofClients = new HashMap<>();
        private final HostPlaces ofHosts;
        private final int ofClientMax;

        Places(Kind kind) {
            ofHosts = new HostPlaces(kind.max, kind.ofHostMax);
            ofClientMax = kind.ofClientMax;
        }

        boolean take(long clientId, Optional<Host> found) {
            var before = ofClients.get(clientId);
            int own = before == null ? 0 : before.count;
            var host = before == null ? found.orElse(null) : before.host;
            if (host == null || own == ofClientMax || !ofHosts.take(host)) {
                return false;
            }
            ofClients.put(clientId, new Calls(host, own + 1));
            return true;
        }

        void giveBack(long clientId) {
            ofClients.computeIfPresent(
                    clientId,
                    (_, own) -> {
                        ofHosts.giveBack(own.host);
                        return own.count == 1 ? null : new Calls(own.host, own.count - 1);
                    });
        }
    }

    private final Map<Kind, Places> places = new EnumMap<>(Kind.class);

    /** How many calls have ended. */
    private long ended;

    CallPlaces() {
        for (var kind : Kind.values()) {
            places.put(kind, new Places(kind));
        }
    }

    /**
     * Takes a place.
     *
     * @param host that of the client; empty if there is no such client
     * @return whether there was one
     */
    synchronized boolean take(Kind kind, long clientId, Optional<Host> host) {
        return places.get(kind).take(clientId, host);
    }

    /** Gives a place back, after the slot of the call. */
    synchronized void giveBack(Kind kind, long clientId) {
        places.get(kind).giveBack(clientId);
        ended++;
        notifyAll();
    }

    /** Returns how many calls have ended. */
    synchronized long ended() {
        return ended;
    }

    /**
     * Waits until further calls have ended: a slot may be free.
     *
     * @param seen what {@link #ended} has returned before
     * @param nanos how long at most
     */
    synchronized void awaitEnd(long seen, long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        long left = nanos;
        while (ended == seen && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
    }
}
