package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;

/** A requester by RFC 8166. */
record Rfc8166Requester(Requester requester) implements RequesterProfile {
    @Override
    public boolean received(
            MemorySegment message, SegmentPool.Lease buffer, Completion completion) {
        return requester.received(Received.byRequester(message), buffer, completion);
    }
}
