package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.List;

/**
 * What an event leads to: a status, results, and what the driver has to do.
 *
 * @param status the status that the operation is owed
 * @param value the results; null if the status has none
 * @param actions what the driver has to do, in this order. It takes them over before it releases
 *     its lock, so that the actions of all events have one order. An outcome with any status may
 *     have some.
 * @param after the number of the {@link Action.Storage} that has to be on stable storage before the
 *     reply is sent, with all removals before it and the records of the place before it; 0 for
 *     none. With the status DELAY, it has to be there before the driver lets the event happen once
 *     more: nothing was granted so far.
 * @param place whose client waits for storage; null for an administrator, and if nothing waits
 * @param <T> the results of the operation
 */
public record Outcome<T>(
        Nfs4Status status, T value, List<Action> actions, long after, HostPlace place) {
    public Outcome {
        actions = List.copyOf(actions);
    }

    /** Returns whether the event has to happen once more when storage is ready. */
    public boolean isPostponed() {
        return status == Nfs4Status.DELAY && after > 0;
    }

    /** Returns whether the status is NFS4_OK. */
    public boolean isOk() {
        return status == Nfs4Status.OK;
    }
}
