package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.lang.foreign.MemorySegment;

/**
 * A reply of whatever version.
 *
 * @param credits that it grants, unsigned
 * @param payload the RPC message as far as it came inline, in the receive
 * @param alignment how that is padded
 */
public record ArrivedReply(
        int xid, int credits, ChunkLists chunks, MemorySegment payload, Alignment alignment) {}
