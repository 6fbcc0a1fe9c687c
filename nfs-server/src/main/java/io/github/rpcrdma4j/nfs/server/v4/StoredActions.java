package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.Action;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * The changes of client records that are still to be carried out, in their order. The thread that
 * needs one on storage carries it out, with all before it. Thread-safe.
 */
final class StoredActions {
    private final ClientRecords records;

    /** The changes that wait; its monitor guards it and is never held during a change. */
    private final ArrayDeque<Action.Storage> waiting = new ArrayDeque<>();

    /** Guarded by the monitor of this object, which is held during changes. */
    private long done;

    StoredActions(ClientRecords records) {
        this.records = records;
    }

    /** Adds a change; the caller makes sure that numbers ascend. */
    void add(Action.Storage action) {
        synchronized (waiting) {
            waiting.addLast(action);
        }
    }

    /**
     * Returns when a change and all before it are on storage.
     *
     * @throws IOException if storage failed; the change waits for the next attempt
     */
    synchronized void carryOut(long number) throws IOException {
        while (done < number) {
            var next = first();
            if (next == null) {
                throw new IllegalStateException("change " + number + " was never added");
            }
            switch (next) {
                case Action.Persist(_, var client) -> records.persist(client);
                case Action.Forget(_, var owner) -> records.forget(owner);
                case Action.ForgetEarlier _ -> records.forgetEarlier();
            }
            done = next.number();
            synchronized (waiting) {
                waiting.removeFirst();
            }
        }
    }

    /** Carries out all changes that wait. */
    void carryOutAll() throws IOException {
        Action.Storage last;
        synchronized (waiting) {
            last = waiting.peekLast();
        }
        if (last != null) {
            carryOut(last.number());
        }
    }

    private Action.Storage first() {
        synchronized (waiting) {
            return waiting.peekFirst();
        }
    }
}
