package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.util.List;

/**
 * Work requests that belong together. When they have ended it may be posted again. Guarded by the
 * lock of the connection.
 */
public final class WorkBatch {
    private final Endpoint.Ending ending;
    private List<WorkRequest> requests = List.of();
    private int done;
    private boolean wakes;

    /**
     * @param ending told when the last of them has completed
     */
    public WorkBatch(Endpoint.Ending ending) {
        this.ending = ending;
    }

    /**
     * Says which they are, the last of them with a completion; not while they are posted.
     *
     * @throws IllegalArgumentException if there are more than {@link Endpoint#BATCH_MAX}, or none,
     *     or the last has no completion
     */
    public WorkBatch of(List<WorkRequest> work) {
        if (work.isEmpty() || work.size() > Endpoint.BATCH_MAX) {
            throw new IllegalArgumentException("not a size for a batch: " + work.size());
        }
        if (work.getLast().signal() == Signal.UNSIGNALED) {
            throw new IllegalArgumentException("a batch ends with a completion");
        }
        requests = work;
        done = 0;
        return this;
    }

    Endpoint.Ending ending() {
        return ending;
    }

    int size() {
        return requests.size();
    }

    /** Says whether its end wakes a thread. */
    void wakes(boolean changed) {
        wakes = changed;
    }

    /**
     * Adds the requests to those that are posted together.
     *
     * @param also whether its end wakes a thread, whatever was said
     */
    void addTo(List<WorkRequest> leaving, boolean also) {
        int last = requests.size() - 1;
        for (int i = 0; i < last; i++) {
            leaving.add(requests.get(i));
        }
        leaving.add(wakes || also ? requests.get(last).signaled() : requests.get(last));
    }

    /**
     * A completion came: of the next request that has one, and so of those before it.
     *
     * @return how many are done by that
     */
    int advance() {
        int before = done;
        while (requests.get(done++).signal() == Signal.UNSIGNALED) {
            // Done without a completion of its own.
        }
        return done - before;
    }

    boolean isDone() {
        return done == requests.size();
    }

    /** Those that are not known to be done. */
    List<WorkRequest> left() {
        return requests.subList(done, requests.size());
    }
}
