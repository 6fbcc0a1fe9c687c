package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.Host;
import io.github.rpcrdma4j.nfs.server.state.HostPermits;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Permits for the calls of the server that are in progress, shared between hosts and clients.
 * Thread-safe.
 */
final class CallPermits {
    /** What a call is about. Each kind has its own permits, so that none keeps another one out. */
    sealed interface Permit {
        long clientId();

        /**
         * CB_GETATTR: other clients decide how many there are.
         *
         * @param asker the host whose client asks
         */
        record Question(long clientId, Host asker) implements Permit {}

        record Other(long clientId) implements Permit {}
    }

    private static final int QUESTIONS_MAX = 256;
    private static final int QUESTIONS_OF_HOST_MAX = 64;

    /** How many questions to one client there are, besides one of each host that asks. */
    private static final int QUESTIONS_TO_CLIENT_MAX = 32;

    /** How many of them one host asks: a listing asks so many side by side. */
    static final int QUESTIONS_OF_ASKER_MAX = 8;

    private static final int OTHERS_MAX = 256;
    private static final int OTHERS_OF_HOST_MAX = 64;
    private static final int OTHERS_OF_CLIENT_MAX = 16;

    /** How many wait for a permit for a question, besides one of each host. */
    private static final int WAITING_MAX = 256;

    private static final int WAITING_OF_ASKER_MAX = 32;

    private record Calls(Host host, int count) {}

    /** The calls of one kind. */
    private static final class Permits {
        private final Map<Long, Calls> ofClients = new HashMap<>();
        private final HostPermits ofHosts;
        private final int ofClientMax;

        Permits(int max, int ofHostMax, int ofClientMax) {
            this.ofHosts = new HostPermits(max, ofHostMax);
            this.ofClientMax = ofClientMax;
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

        boolean has(long clientId) {
            return ofClients.containsKey(clientId);
        }
    }

    private final Permits others =
            new Permits(OTHERS_MAX, OTHERS_OF_HOST_MAX, OTHERS_OF_CLIENT_MAX);

    private final Permits questions =
            new Permits(QUESTIONS_MAX, QUESTIONS_OF_HOST_MAX, Integer.MAX_VALUE);

    /** The hosts that ask each client. */
    private final Map<Long, HostPermits> askers = new HashMap<>();

    /** The hosts whose questions wait for a permit. */
    private final HostPermits waiting = new HostPermits(WAITING_MAX, WAITING_OF_ASKER_MAX);

    /** Guards all of this. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The questions that wait for a permit, in the order in which they came. */
    private final SequencedSet<WaitingQuestion> questionsWaiting = new LinkedHashSet<>();

    /** The clients whose slots others wait for. */
    private final Map<Long, Ends> ends = new HashMap<>();

    /** A question that waits for a permit. */
    private static final class WaitingQuestion {
        private final Permit.Question permit;
        private final Optional<Host> host;
        private final Condition taken;
        private boolean isTaken;

        WaitingQuestion(Permit.Question permit, Optional<Host> host, Condition taken) {
            this.permit = permit;
            this.host = host;
            this.taken = taken;
        }
    }

    /**
     * Takes a permit.
     *
     * @param host that of the client; empty if there is no such client
     * @return whether there was one
     */
    boolean take(Permit permit, Optional<Host> host) {
        lock.lock();
        try {
            return takeNow(permit, host);
        } finally {
            lock.unlock();
        }
    }

    private boolean takeNow(Permit permit, Optional<Host> host) {
        return switch (permit) {
            case Permit.Other(long clientId) -> others.take(clientId, host);
            case Permit.Question question -> takeToAsk(question, host);
        };
    }

    private boolean takeToAsk(Permit.Question question, Optional<Host> host) {
        long clientId = question.clientId;
        var ofClient =
                askers.computeIfAbsent(
                        clientId,
                        _ -> new HostPermits(QUESTIONS_TO_CLIENT_MAX, QUESTIONS_OF_ASKER_MAX));
        boolean isTaken = ofClient.take(question.asker);
        if (isTaken && !questions.take(clientId, host)) {
            ofClient.giveBack(question.asker);
            isTaken = false;
        }
        forgetIfUnasked(clientId);
        return isTaken;
    }

    private void forgetIfUnasked(long clientId) {
        if (!questions.has(clientId)) {
            askers.remove(clientId);
        }
    }

    /**
     * Takes a permit, and waits for one if there is none. Only so many of one host wait: each end
     * of a call looks at them.
     *
     * @param nanos how long at most
     */
    boolean take(Permit.Question question, Optional<Host> host, long nanos)
            throws InterruptedException {
        lock.lock();
        try {
            if (takeToAsk(question, host)) {
                return true;
            }
            if (host.isEmpty() || !waiting.take(question.asker)) {
                return false;
            }
            try {
                return await(new WaitingQuestion(question, host, lock.newCondition()), nanos);
            } finally {
                waiting.giveBack(question.asker);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean await(WaitingQuestion question, long nanos) throws InterruptedException {
        questionsWaiting.add(question);
        boolean isOver = false;
        try {
            long left = nanos;
            while (!question.isTaken && left > 0) {
                left = question.taken.awaitNanos(left);
            }
            isOver = true;
            return question.isTaken;
        } finally {
            questionsWaiting.remove(question);
            if (!isOver && question.isTaken) {
                end(question.permit);
            }
        }
    }

    /** Gives a permit back, after the slot of the call. */
    void giveBack(Permit permit) {
        lock.lock();
        try {
            end(permit);
            var slots = ends.get(permit.clientId());
            if (slots != null) {
                slots.add();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Gives a permit back, to the first question that can have it. */
    private void end(Permit permit) {
        switch (permit) {
            case Permit.Other(long clientId) -> others.giveBack(clientId);
            case Permit.Question(long clientId, var asker) -> {
                questions.giveBack(clientId);
                askers.get(clientId).giveBack(asker);
                forgetIfUnasked(clientId);
                serve();
            }
        }
    }

    private void serve() {
        var each = questionsWaiting.iterator();
        while (each.hasNext()) {
            var next = each.next();
            if (takeToAsk(next.permit, next.host)) {
                each.remove();
                next.isTaken = true;
                next.taken.signal();
            }
        }
    }

    /** Watches the ends of the calls to a client: a slot may be free. Close it. */
    Ends watch(long clientId) {
        lock.lock();
        try {
            var watched = ends.computeIfAbsent(clientId, Ends::new);
            watched.users++;
            return watched;
        } finally {
            lock.unlock();
        }
    }

    /** The ends of the calls to one client, since one call began to wait for a slot. */
    final class Ends implements AutoCloseable {
        private final long clientId;
        private final Condition added = lock.newCondition();
        private long count;
        private int users;

        private Ends(long clientId) {
            this.clientId = clientId;
        }

        private void add() {
            count++;
            added.signalAll();
        }

        long count() {
            lock.lock();
            try {
                return count;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Waits until further calls have ended, or wait no longer.
         *
         * @param seen what {@link #count} has returned before
         * @param nanos how long at most
         */
        void await(long seen, long nanos) throws InterruptedException {
            lock.lock();
            try {
                long left = nanos;
                while (count == seen && left > 0) {
                    left = added.awaitNanos(left);
                }
            } finally {
                lock.unlock();
            }
        }

        /** Does not wait any more. Others that it has kept from a slot try again. */
        @Override
        public void close() {
            lock.lock();
            try {
                users--;
                if (users == 0) {
                    ends.remove(clientId);
                } else {
                    add();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
