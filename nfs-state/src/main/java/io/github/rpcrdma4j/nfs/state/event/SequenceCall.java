package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.SessionId;

/**
 * The arguments of SEQUENCE (RFC 8881, Section 18.46), and what the driver knows of its COMPOUND.
 *
 * @param slot unsigned
 * @param highestSlot the highest slot that the client uses, unsigned
 * @param cachesReply {@code sa_cachethis}
 * @param operations the number of operations in the COMPOUND, with SEQUENCE
 * @param requestBytes the length of the call message, with its RPC header and its chunks
 * @param checksum of the COMPOUND without its tag: recognises another call in a used slot
 */
public record SequenceCall(
        SessionId session,
        int sequence,
        int slot,
        int highestSlot,
        boolean cachesReply,
        int operations,
        int requestBytes,
        long checksum) {}
