package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects what the driver has to do after one event, and makes the outcome of the event. Numbers
 * the changes of stable storage.
 */
final class Journal {
    private final List<Action> actions = new ArrayList<>();
    private long storageNumber;

    /** The number of the last removal of a record. */
    private long lastRemoval;

    void add(Action action) {
        actions.add(action);
    }

    /** Returns the number of the change. */
    long persist(Client client) {
        actions.add(new Action.Persist(++storageNumber, client.record(), client.placeUse.place));
        return storageNumber;
    }

    /**
     * @param mayHaveState whether the client had state that another client may get now, or could
     *     reclaim some. Replies that grant state then wait for the removal.
     * @return the number of the change
     */
    long forget(Client client, ClientRecord revoked, boolean mayHaveState) {
        var place = client.placeUse.place;
        actions.add(new Action.Forget(++storageNumber, client.name, place, revoked));
        if (mayHaveState) {
            lastRemoval = storageNumber;
        }
        return storageNumber;
    }

    void forgetEarlier() {
        lastRemoval = ++storageNumber;
        actions.add(new Action.ForgetEarlier(lastRemoval));
    }

    <T> Outcome<T> refused(Nfs4Status status) {
        return end(status, null);
    }

    <T> Outcome<T> ok(T value) {
        return end(Nfs4Status.OK, value);
    }

    /**
     * Ends an event after which no removed record may come back: a reply that grants a lock waits
     * for the removal of the record whose owner lost it, even if an earlier event removed it.
     */
    <T> Outcome<T> afterRemovals(T value, HostPlace place) {
        return end(Nfs4Status.OK, value, lastRemoval, place);
    }

    /** Ends an event that grants state to a client; its own record is stored before the reply. */
    <T> Outcome<T> granted(T value, Client client) {
        return end(
                Nfs4Status.OK,
                value,
                Math.max(lastRemoval, client.recordNumber),
                client.placeUse.place);
    }

    /** Ends an event whose reply waits for the record of a client, and for no later removal. */
    <T> Outcome<T> afterRecord(Client client) {
        return end(Nfs4Status.OK, null, client.recordNumber, client.placeUse.place);
    }

    /** Ends an event that happens anew when the record of a client is on storage. */
    <T> Outcome<T> postponed(Client client) {
        return end(Nfs4Status.DELAY, null, client.recordNumber, client.placeUse.place);
    }

    /**
     * Ends an event whose reply waits for the changes that the event itself orders.
     *
     * @param place whose client gets the reply; null for an administrator
     */
    <T> Outcome<T> afterChanges(T value, HostPlace place) {
        boolean hasOrdered = actions.stream().anyMatch(Action.Storage.class::isInstance);
        return end(Nfs4Status.OK, value, hasOrdered ? storageNumber : 0, place);
    }

    /** Adds the actions since an event has ended to its outcome. */
    <T> Outcome<T> followed(Outcome<T> outcome) {
        var all = new ArrayList<>(outcome.actions());
        all.addAll(actions);
        actions.clear();
        return new Outcome<>(
                outcome.status(), outcome.value(), all, outcome.after(), outcome.place());
    }

    <T> Outcome<T> end(Nfs4Status status, T value) {
        return end(status, value, 0, null);
    }

    private <T> Outcome<T> end(Nfs4Status status, T value, long after, HostPlace place) {
        var outcome = new Outcome<>(status, value, actions, after, place);
        actions.clear();
        return outcome;
    }
}
