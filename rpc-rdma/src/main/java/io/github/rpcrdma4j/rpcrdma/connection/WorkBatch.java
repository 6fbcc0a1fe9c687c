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

    /**
     * @param ending told when the last of them has completed
     */
    public WorkBatch(Endpoint.Ending ending) {
        this.ending = ending;
    }

    /** Says which they are, the last of them with a completion; not while they are posted. */
    public WorkBatch of(List<WorkRequest> work) {
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

    WorkRequest request(int index) {
        return requests.get(index);
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
