package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.util.List;

/**
 * A batch of work requests that are posted together. The object may be posted again after its end.
 * Guarded by the lock of the connection.
 */
public final class WorkBatch {
    private final Endpoint.Ending ending;
    private List<WorkRequest> requests = List.of();
    private int done;
    private boolean wakes;

    /**
     * @param ending called when the last work request has completed
     */
    public WorkBatch(Endpoint.Ending ending) {
        this.ending = ending;
    }

    /**
     * Sets the work requests of the batch, the last of them with a completion. It must not be
     * posted now.
     *
     * @throws IllegalArgumentException if there are more than {@link Endpoint#BATCH_MAX}, or none,
     *     or the last has no completion
     */
    public WorkBatch requests(List<WorkRequest> work) {
        if (work.isEmpty() || work.size() > Endpoint.BATCH_MAX) {
            throw new IllegalArgumentException(
                    "a batch must have 1 to 1024 work requests: " + work.size());
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

    /** Sets whether the end of the batch wakes a thread. */
    void wakes(boolean changed) {
        wakes = changed;
    }

    /**
     * Adds the requests to a list that is about to be posted.
     *
     * @param also makes the end of the batch wake a thread even if {@link #wakes} was false
     */
    void addTo(List<WorkRequest> toPost, boolean also) {
        int last = requests.size() - 1;
        for (int i = 0; i < last; i++) {
            toPost.add(requests.get(i));
        }
        toPost.add(wakes || also ? requests.get(last).signaled() : requests.get(last));
    }

    /**
     * Counts a completion, which ends the next signaled request and all before it.
     *
     * @return how many requests the completion ended
     */
    int advance() {
        int before = done;
        while (requests.get(done++).signal() == Signal.UNSIGNALED) {
            // The completion of a later request covers this one.
        }
        return done - before;
    }

    boolean isDone() {
        return done == requests.size();
    }

    /** Returns the requests that are not known to be done. */
    List<WorkRequest> unfinished() {
        return requests.subList(done, requests.size());
    }
}
