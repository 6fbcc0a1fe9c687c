package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.v4.type.SessionId;

/** What SEQUENCE leads to. */
public sealed interface Sequenced {
    /** Returns the results of SEQUENCE. */
    Results results();

    /**
     * The results of SEQUENCE (RFC 8881, Section 18.46).
     *
     * @param highestSlot {@code sr_highest_slotid}
     * @param targetHighestSlot {@code sr_target_highest_slotid}
     * @param flags {@code sr_status_flags}
     */
    record Results(
            SessionId session,
            int sequence,
            int slot,
            int highestSlot,
            int targetHighestSlot,
            int flags) {}

    /**
     * The call is new. The driver carries it out, and then calls {@link ServerState#finish}, in any
     * case.
     */
    record Started(SlotUse use, Results results) implements Sequenced {}

    /**
     * The call was carried out before, and its reply is kept.
     *
     * @param kept what the driver gave to {@link ServerState#finish}; not to be changed
     */
    record Replayed(Results results, byte[] kept) implements Sequenced {}
}
