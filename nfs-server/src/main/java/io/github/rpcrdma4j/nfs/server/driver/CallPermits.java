package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.oncrpc.share.HostPermits;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Permits for the calls of the server that are in progress, shared between hosts, places and
 * clients. Thread-safe.
 */
public final class CallPermits {
    /** What a call is about. Each kind has its own permits, so that none keeps another one out. */
    sealed interface Permit {
        long clientId();

        /**
         * CB_GETATTR: other clients decide how many there are.
         *
         * @param asker the place whose client asks
         */
        record Question(long clientId, HostPlace asker) implements Permit {}

        /** CB_RECALL: the client loses a delegation that it does not return in time. */
        record Recall(long clientId) implements Permit {}

        record Other(long clientId) implements Permit {}
    }

    private static final int QUESTIONS_MAX = 256;
    private static final int QUESTIONS_OF_HOST_MAX = 64;

    /** How many questions to one client there are, besides one of each host or place that asks. */
    private static final int QUESTIONS_TO_CLIENT_MAX = 32;

    /** How many of them one host asks: a listing asks so many side by side. */
    public static final int QUESTIONS_OF_ASKER_MAX = 8;

    /** How many recalls there are, and as many of all other calls. */
    private static final int CALLS_MAX = 256;

    private static final int CALLS_OF_HOST_MAX = 64;
    private static final int CALLS_OF_CLIENT_MAX = 16;

    /** How many wait for a permit for a question, besides one of each host or place. */
    private static final int WAITING_MAX = 256;

    private static final int WAITING_OF_ASKER_MAX = 32;

    private record Calls(HostPlace place, int count) {}

    /** The calls of one kind. */
    private static final class Permits {
        private final Map<Long, Calls> ofClients = new HashMap<>();
        private final HostPermits ofHosts;
        private final int ofClientMax;

        Permits(HostPermits ofHosts, int ofClientMax) {
            this.ofHosts = ofHosts;
            this.ofClientMax = ofClientMax;
        }

        boolean take(long clientId, Optional<HostPlace> found) {
            var before = ofClients.get(clientId);
            int own = before == null ? 0 : before.count;
            var place = before == null ? found.orElse(null) : before.place;
            if (place == null || own == ofClientMax || !ofHosts.take(place)) {
                return false;
            }
            ofClients.put(clientId, new Calls(place, own + 1));
            return true;
        }

        void giveBack(long clientId) {
            ofClients.computeIfPresent(
                    clientId,
                    (_, own) -> {
                        ofHosts.giveBack(own.place);
                        return own.count == 1 ? null : new Calls(own.place, own.count - 1);
                    });
        }
    }

    /** The questions to one client. */
    private static final class Asked {
        final HostPermits askers =
                new HostPermits(QUESTIONS_TO_CLIENT_MAX, QUESTIONS_OF_ASKER_MAX, Integer.MAX_VALUE);

        /** The places of networks with one besides those that the client's host may be asked. */
        final Set<HostPlace> besides = new HashSet<>();
    }

    private final Permits others =
            new Permits(new HostPermits(CALLS_MAX, CALLS_OF_HOST_MAX), CALLS_OF_CLIENT_MAX);

    /**
     * A client is not to lose a delegation because of its neighbors, so each place has one besides:
     * there are no more than delegations.
     */
    private final Permits recalls =
            new Permits(
                    new HostPermits(CALLS_MAX, CALLS_OF_HOST_MAX, Integer.MAX_VALUE),
                    CALLS_OF_CLIENT_MAX);

    private final Permits questions =
            new Permits(new HostPermits(QUESTIONS_MAX, QUESTIONS_OF_HOST_MAX), Integer.MAX_VALUE);

    private final Map<Long, Asked> asked = new HashMap<>();

    /** The places whose questions wait for a permit. */
    private final HostPermits waiting = new HostPermits(WAITING_MAX, WAITING_OF_ASKER_MAX);

    /** Guards all of this. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The questions that wait for a permit, in the order in which they came. */
    private final SequencedSet<WaitingQuestion> questionsWaiting = new LinkedHashSet<>();

    private final WaitingRecalls recallsWaiting = new WaitingRecalls();

    /** The clients whose slots others wait for. */
    private final Map<Long, Ends> ends = new HashMap<>();

    /** A question that waits for a permit. */
    private static final class WaitingQuestion {
        private final Permit.Question permit;
        private final Optional<HostPlace> place;
        private final Condition taken;
        private boolean isTaken;

        WaitingQuestion(Permit.Question permit, Optional<HostPlace> place, Condition taken) {
            this.permit = permit;
            this.place = place;
            this.taken = taken;
        }
    }

    /**
     * Takes a permit.
     *
     * @param place that of the client; empty if there is no such client
     * @return whether there was one
     */
    boolean take(Permit permit, Optional<HostPlace> place) {
        lock.lock();
        try {
            return takeNow(permit, place);
        } finally {
            lock.unlock();
        }
    }

    private boolean takeNow(Permit permit, Optional<HostPlace> place) {
        return switch (permit) {
            case Permit.Other(long clientId) -> others.take(clientId, place);
            case Permit.Recall(long clientId) -> recalls.take(clientId, place);
            case Permit.Question question -> takeToAsk(question, place);
        };
    }

    /**
     * Takes a permit for a recall. If there is none, the recall waits until {@link #giveBack} has
     * one for it.
     *
     * @param place that of the client
     * @return whether there was one
     */
    boolean takeOrWait(Action.Recall recall, HostPlace place) {
        lock.lock();
        try {
            long clientId = recall.clientId();
            if (!recallsWaiting.has(clientId) && recalls.take(clientId, Optional.of(place))) {
                return true;
            }
            recallsWaiting.add(new WaitingRecalls.Waiting(recall, place));
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean takeToAsk(Permit.Question question, Optional<HostPlace> place) {
        long clientId = question.clientId;
        if (place.isEmpty()) {
            return false;
        }
        var ofClient = asked.computeIfAbsent(clientId, _ -> new Asked());
        boolean isTaken = ofClient.askers.take(question.asker);
        if (isTaken && !isShared(question, place, ofClient)) {
            isTaken = question.asker.isInNetwork() && ofClient.besides.add(question.asker);
            if (!isTaken) {
                ofClient.askers.giveBack(question.asker);
            }
        }
        forgetIfUnasked(clientId, ofClient);
        return isTaken;
    }

    /** Takes one of what the client's host may be asked, unless the asker has one besides. */
    private boolean isShared(Permit.Question question, Optional<HostPlace> place, Asked ofClient) {
        boolean isBesides =
                question.asker.isInNetwork() && ofClient.askers.hasOnlyOneBesides(question.asker);
        return !isBesides && questions.take(question.clientId, place);
    }

    private void forgetIfUnasked(long clientId, Asked ofClient) {
        if (!ofClient.askers.isUsed()) {
            asked.remove(clientId);
        }
    }

    private void endToAsk(Permit.Question question) {
        var ofClient = asked.get(question.clientId);
        if (!ofClient.besides.remove(question.asker)) {
            questions.giveBack(question.clientId);
        }
        ofClient.askers.giveBack(question.asker);
        forgetIfUnasked(question.clientId, ofClient);
    }

    /**
     * Takes a permit, and waits for one if there is none. Only so many of one host wait, and one of
     * each place: each end of a call looks at them.
     *
     * @param nanos how long at most
     */
    boolean take(Permit.Question question, Optional<HostPlace> place, long nanos)
            throws InterruptedException {
        lock.lock();
        try {
            if (takeToAsk(question, place)) {
                return true;
            }
            if (place.isEmpty() || !waiting.take(question.asker)) {
                return false;
            }
            try {
                return await(new WaitingQuestion(question, place, lock.newCondition()), nanos);
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

    /**
     * Gives a permit back, after the slot of the call.
     *
     * @return recalls that have waited, and have a permit now
     */
    List<Action.Recall> giveBack(Permit permit) {
        lock.lock();
        try {
            end(permit);
            var slots = ends.get(permit.clientId());
            if (slots != null) {
                slots.add();
            }
            return permit instanceof Permit.Recall ? recallsWaiting.take(this::takeFor) : List.of();
        } finally {
            lock.unlock();
        }
    }

    private boolean takeFor(WaitingRecalls.Waiting recall) {
        return recalls.take(recall.call().clientId(), Optional.of(recall.place()));
    }

    /** Gives a permit back: that of a question to the first one that can have it. */
    private void end(Permit permit) {
        switch (permit) {
            case Permit.Other(long clientId) -> others.giveBack(clientId);
            case Permit.Recall(long clientId) -> recalls.giveBack(clientId);
            case Permit.Question question -> {
                endToAsk(question);
                serve();
            }
        }
    }

    private void serve() {
        var each = questionsWaiting.iterator();
        while (each.hasNext()) {
            var next = each.next();
            if (takeToAsk(next.permit, next.place)) {
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
