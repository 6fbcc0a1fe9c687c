package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.CopyCall;
import io.github.rpcrdma4j.nfs.state.event.CopyEnd;
import io.github.rpcrdma4j.nfs.state.event.CopyProgress;
import io.github.rpcrdma4j.nfs.state.event.CopyStatus;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The events of {@link ServerState} that are about asynchronous copies (RFC 7862). Its rules hold
 * for them.
 */
public final class CopyEvents {
    private final LongConsumer begin;
    private final Copies copies;

    /**
     * @param begin lets time pass before an event
     */
    CopyEvents(LongConsumer begin, Copies copies) {
        this.begin = begin;
        this.copies = copies;
    }

    /**
     * The rest of a COPY is to be carried out after its reply: NFS4_OK, or DELAY if the client has
     * too many copies or cannot be called back. Then it is to be carried out before.
     */
    public Outcome<BegunCopy> begin(SlotUse use, CopyCall call, long now) {
        begin.accept(now);
        return copies.begin(use, call);
    }

    /**
     * A part is copied. Always NFS4_OK.
     *
     * @param bytes how much is copied in all
     * @return whether the copy goes on. If not, the driver forgets it, and owes nothing more.
     */
    public Outcome<Boolean> progress(long number, long bytes, long now) {
        begin.accept(now);
        return copies.progress(number, bytes);
    }

    /** All is copied, or the copy has failed. Always NFS4_OK. */
    public Outcome<Void> end(long number, CopyEnd end, long now) {
        begin.accept(now);
        return copies.end(number, end, now);
    }

    /**
     * An {@link Action.TellCopy} was carried out.
     *
     * @param isAnswered whether the client has answered CB_OFFLOAD, with any status but DELAY
     */
    public void told(long number, boolean isAnswered) {
        copies.told(number, isAnswered);
    }

    /** OFFLOAD_STATUS: NFS4_OK or BAD_STATEID. */
    public Outcome<CopyStatus> status(SlotUse use, FileKey file, StateId id, long now) {
        begin.accept(now);
        return copies.status(use, file, id);
    }

    /**
     * OFFLOAD_CANCEL begins: the copy does not go on after the part that is being copied. NFS4_OK
     * or BAD_STATEID.
     *
     * @return the number of the copy. When no part is being copied, {@link #cancel} follows.
     */
    public Outcome<Long> stop(SlotUse use, FileKey file, StateId id, long now) {
        begin.accept(now);
        return copies.stop(use, file, id);
    }

    /**
     * OFFLOAD_CANCEL: NFS4_OK, BAD_STATEID, or COMPLETE_ALREADY if the copy has ended. The client
     * hears no more of the copy in any case.
     */
    public Outcome<Void> cancel(SlotUse use, FileKey file, StateId id, long now) {
        begin.accept(now);
        return copies.cancel(use, file, id);
    }

    /** Returns some copies, at most so many, for administrators. */
    public List<CopyProgress> shown(int max) {
        return copies.shown(max);
    }
}
