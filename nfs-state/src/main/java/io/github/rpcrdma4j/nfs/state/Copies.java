package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.CopyCall;
import io.github.rpcrdma4j.nfs.state.event.CopyEnd;
import io.github.rpcrdma4j.nfs.state.event.CopyProgress;
import io.github.rpcrdma4j.nfs.state.event.CopyStatus;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asynchronous copies: COPY, OFFLOAD_STATUS and OFFLOAD_CANCEL (RFC 7862, Sections 15.2, 15.8 and
 * 15.9). A client gets one only if the server can call it back, and a copy does not outlive its
 * lease.
 */
final class Copies implements Clients.Departure {
    /** The copies of all clients. */
    static final int COPIES_MAX = 256;

    /** An asynchronous copy as the one that uses files: it goes on after its COMPOUND. */
    static final class CopyUse extends ClientUse {
        private final Client client;

        CopyUse(Client client) {
            this.client = client;
        }

        @Override
        Client client() {
            return client;
        }

        @Override
        public HostPlace where() {
            return client.placeUse.place;
        }

        @Override
        Nfs4Status presence() {
            return client.isRemoved ? Nfs4Status.STALE_CLIENTID : Nfs4Status.OK;
        }
    }

    private final Journal journal;
    private final StateIds ids;
    private final Shares shares;
    private final Map<Long, Copy> byNumber = new LinkedHashMap<>();
    private long lastNumber;

    Copies(Journal journal, StateIds ids, Shares shares) {
        this.journal = journal;
        this.ids = ids;
        this.shares = shares;
    }

    Outcome<BegunCopy> begin(SlotUse use, CopyCall call) {
        var client = use.client();
        boolean mayBegin =
                use.presence() == Nfs4Status.OK
                        && client.hasBackChannel()
                        && shares.room(Shares.Kind.COPIES, client) > 0;
        if (!mayBegin) {
            return journal.refused(Nfs4Status.DELAY);
        }
        var copy = new Copy(++lastNumber, client, client.freeNumber(), call, use.place());
        byNumber.put(copy.number, copy);
        client.copies.put(copy.index, copy);
        shares.count(Shares.Kind.COPIES, client, 1);
        return journal.ok(new BegunCopy(copy.number, ids.of(copy), new CopyUse(client)));
    }

    /** Takes note of what is copied. Returns whether the copy goes on. */
    Outcome<Boolean> progress(long number, long bytes) {
        var copy = byNumber.get(number);
        if (copy != null) {
            copy.bytes = bytes;
        }
        return journal.ok(copy != null && !copy.isStopped);
    }

    /** The copy has ended, unless it was cancelled. */
    Outcome<Void> end(long number, CopyEnd end, long now) {
        var copy = byNumber.get(number);
        if (copy != null) {
            copy.end = end;
            copy.bytes = end.bytes();
            tell(copy, now);
        }
        return journal.ok(null);
    }

    private void tell(Copy copy, long now) {
        if (copy.mayTell(now) && copy.client.hasBackChannel()) {
            copy.tell(now);
            journal.add(
                    new Action.TellCopy(
                            copy.number,
                            copy.client.id,
                            copy.target,
                            ids.of(copy),
                            copy.place,
                            copy.end));
        }
    }

    /** The driver has told the client, or could not. */
    void told(long number, boolean isAnswered) {
        var copy = byNumber.get(number);
        if (copy != null && isAnswered) {
            forget(copy);
        } else if (copy != null) {
            copy.untold();
        }
    }

    /** Tells clients again that have a back channel anew. */
    void remind(long now) {
        byNumber.values().forEach(each -> tell(each, now));
    }

    Outcome<CopyStatus> status(SlotUse use, FileKey file, StateId id) {
        var copy = find(use.client(), file, id);
        if (copy == null) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        var end = Optional.ofNullable(copy.end).map(CopyEnd::status);
        return journal.ok(new CopyStatus(copy.bytes, end));
    }

    /** Stops a copy that its client cancels. Returns its number. */
    Outcome<Long> stop(SlotUse use, FileKey file, StateId id) {
        var copy = find(use.client(), file, id);
        if (copy == null) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        copy.isStopped = true;
        return journal.ok(copy.number);
    }

    Outcome<Void> cancel(SlotUse use, FileKey file, StateId id) {
        var copy = find(use.client(), file, id);
        if (copy == null) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        forget(copy);
        return copy.end == null ? journal.ok(null) : journal.refused(Nfs4Status.COMPLETE_ALREADY);
    }

    List<CopyProgress> shown(int max) {
        return byNumber.values().stream().limit(max).map(Copies::progress).toList();
    }

    private static CopyProgress progress(Copy copy) {
        return new CopyProgress(
                copy.target, copy.client.id, copy.bytes, copy.length, copy.end == null);
    }

    /** Returns the copy, or null. A sequence of 0 names none (RFC 7862, Section 4.8). */
    private Copy find(Client client, FileKey file, StateId id) {
        var copy = ids.names(id, client) ? client.copies.get(ids.number(id, client)) : null;
        boolean isFound = copy != null && ids.of(copy).equals(id) && copy.target.equals(file);
        return isFound ? copy : null;
    }

    private void forget(Copy copy) {
        byNumber.remove(copy.number);
        copy.client.copies.remove(copy.index);
        shares.count(Shares.Kind.COPIES, copy.client, -1);
    }

    /** Ends all copies of a client, without a word to it. */
    void endAll(Client client) {
        List.copyOf(client.copies.values()).forEach(this::forget);
    }

    @Override
    public void leaseExpires(Client client, long now) {
        endAll(client);
    }

    @Override
    public void clientLeaves(Client client, long now) {
        endAll(client);
    }
}
