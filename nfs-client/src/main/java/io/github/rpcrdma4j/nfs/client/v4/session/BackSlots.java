package io.github.rpcrdma4j.nfs.client.v4.session;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;

/**
 * The slots of the back channel of a session. They tell a new callback of the server from one that
 * it repeats, and keep the newest reply of each slot (RFC 8881, Sections 2.10.6 and 20.9). Used by
 * one thread at a time.
 */
public final class BackSlots {
    /** How many slots a session has. */
    public static final int COUNT = 4;

    private final Kept[] slots = new Kept[COUNT];

    /**
     * The newest callback of a slot.
     *
     * @param reply null while it is carried out, or if there was none yet
     */
    private record Kept(int sequence, CallbackCompound.Outcome reply) {}

    /** Creates the slots of a new session. */
    public BackSlots() {
        for (int i = 0; i < COUNT; i++) {
            slots[i] = new Kept(0, null);
        }
    }

    /** What to do with a callback. */
    public sealed interface Decision {
        /** It is carried out, and {@link #end} gets its reply. */
        record CarryOut() implements Decision {}

        /** It was carried out before: its reply is sent again. */
        record Repeat(CallbackCompound.Outcome reply) implements Decision {}

        /** It is refused. The slot stays as it is. */
        record Refuse(Nfs4Status status) implements Decision {}
    }

    /**
     * Decides about a callback.
     *
     * @param slot as received
     * @param sequence as received
     */
    public Decision begin(int slot, int sequence) {
        if (Integer.compareUnsigned(slot, COUNT) >= 0) {
            return new Decision.Refuse(Nfs4Status.BADSLOT);
        }
        var newest = slots[slot];
        boolean isFirst = newest.sequence == 0 && newest.reply == null;
        if (sequence == newest.sequence && !isFirst) {
            return newest.reply == null
                    ? new Decision.Refuse(Nfs4Status.DELAY)
                    : new Decision.Repeat(newest.reply);
        }
        if (sequence != newest.sequence + 1 || newest.reply == null && !isFirst) {
            return new Decision.Refuse(Nfs4Status.SEQ_MISORDERED);
        }
        slots[slot] = new Kept(sequence, null);
        return new Decision.CarryOut();
    }

    /** Keeps the reply to a callback that was carried out. */
    public void end(int slot, CallbackCompound.Outcome reply) {
        slots[slot] = new Kept(slots[slot].sequence, reply);
    }
}
