package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;

/**
 * A reply as it arrived.
 *
 * @param credits that it grants, unsigned
 * @param payload the RPC message as far as it came inline, in the receive
 */
public record ArrivedReply(
        int xid, int credits, ChunkLists chunks, MemorySegment payload, Reading reading) {
    /**
     * How lengths and items of a reply are read.
     *
     * @param told the length that a responder may tell of so many bytes that it wrote
     * @param placements where the items lie, by where the bulk results in chunks do
     */
    public record Reading(LongUnaryOperator told, UnaryOperator<Placements> placements) {
        /** By RFC 8166 a length is what it says, and nothing is padded. */
        public static final Reading RFC_8166 =
                new Reading(LongUnaryOperator.identity(), UnaryOperator.identity());
    }

    /** One that is read by RFC 8166. */
    public ArrivedReply(int xid, int credits, ChunkLists chunks, MemorySegment payload) {
        this(xid, credits, chunks, payload, Reading.RFC_8166);
    }
}
