package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Takes slots from idle sessions when a host has no room for new ones (RFC 8881, Sections 2.10.6.1
 * and 20.8).
 *
 * <pre>
 *   no room --idle sessions of the host--> replies tell fewer slots --> the client uses fewer
 *                                            \--5 s--> CB_RECALL_SLOT --^
 *                                                         \--two leases--> they are taken
 * </pre>
 *
 * <p>A client that still uses a slot which was taken gets BADSLOT, and a call that it repeats there
 * has no reply any more.
 */
final class SurplusSlots {
    private static final long SECOND = 1_000_000_000L;

    /** How long an idle session has not been used. */
    private static final long IDLE_NANOS = 10 * SECOND;

    /** How long the client has to learn of it from replies. */
    private static final long REPLIES_NANOS = 5 * SECOND;

    /** How many leases a client may take: it calls once in each. */
    private static final int LEASES = 2;

    /** How many slots a session keeps at least. */
    private static final int KEPT_MIN = 8;

    /** A session keeps half of its slots. */
    private static final int PART = 2;

    /** How many hosts and sessions one event asks, so that no event takes long. */
    private static final int HOSTS_MAX = 4;

    private static final int SESSIONS_MAX = 64;

    /** How many sessions may have been asked and not be done. */
    private static final int ASKED_MAX = 1024;

    /** A session that was asked for slots. */
    private record Request(long asked, boolean isCalled) {}

    private final long leaseNanos;
    private final Journal journal;
    private final Sessions sessions;
    private final Evictions evictions;
    private final SequencedMap<Session, Request> requests = new LinkedHashMap<>();

    SurplusSlots(long leaseNanos, Journal journal, Sessions sessions, Evictions evictions) {
        this.leaseNanos = leaseNanos;
        this.journal = journal;
        this.sessions = sessions;
        this.evictions = evictions;
    }

    /** Asks idle sessions of hosts that have found no room, and takes what was asked for. */
    void relieve(long now) {
        for (var each : List.copyOf(requests.entrySet())) {
            remind(each.getKey(), each.getValue(), now);
        }
        for (var host : evictions.takeHostsWithoutSlots(HOSTS_MAX)) {
            sessions.all().stream()
                    .filter(each -> each.client.host == host && isIdle(each, now))
                    .limit(Math.min(SESSIONS_MAX, ASKED_MAX - requests.size()))
                    .toList()
                    .forEach(each -> ask(each, now));
        }
    }

    private void remind(Session session, Request request, long now) {
        boolean isDone = session.isRemoved || session.target() == session.slotCount();
        long waited = now - request.asked;
        if (isDone) {
            requests.remove(session);
        } else if (waited > LEASES * leaseNanos && !session.isSurplusRunning()) {
            sessions.retireSurplus(session);
            requests.remove(session);
        } else if (waited > REPLIES_NANOS && !request.isCalled) {
            requests.put(session, new Request(request.asked, true));
            journal.add(
                    new Action.RecallSlots(session.client.id, session.id, session.target() - 1));
        }
    }

    private static boolean isIdle(Session session, long now) {
        return session.running == 0
                && now - session.used > IDLE_NANOS
                && session.slotCount() > KEPT_MIN
                && session.target() == session.slotCount();
    }

    private void ask(Session session, long now) {
        session.ask(Math.max(KEPT_MIN, session.slotCount() / PART));
        requests.put(session, new Request(now, false));
    }
}
